/** Whether the page shows a run or a sweep: what the path of the address says. */
import { readSweepPlace } from '../url'

class Place {
  /** `id` null: a new sweep; null: a run. */
  sweep = $state.raw(readSweepPlace(location.pathname))
  /** What the browser's tab says while there is a sweep. */
  title = $state('Sweep')
  /** Where the run was, to go back to. */
  private run = this.sweep ? '/' : here()

  constructor() {
    addEventListener('popstate', () => (this.sweep = readSweepPlace(location.pathname)))
  }

  open(id: string | null): void {
    if (!this.sweep) this.run = here()
    this.go(id === null ? '/sweep' : `/sweep/${id}`)
  }

  leave(): void {
    this.go(this.run)
  }

  /** To a run that the address says nothing of yet. */
  toFreshRun(): void {
    this.go('/')
  }

  /** To where the page was. */
  return(path: string): void {
    this.run = here()
    this.go(path)
  }

  private go(path: string): void {
    if (path !== here()) history.pushState(null, '', path)
    this.sweep = readSweepPlace(location.pathname)
  }
}

const here = (): string => location.pathname + location.hash

export const place = new Place()
