/** Calm words about what was refused or has happened; they never block looking. */
import type { Problem } from './wire.gen'

export interface Notice {
  id: number
  title: string
  problem: Problem | null
  text: string
  action: { label: string; run: () => void } | null
}

const MOST = 3
const PASSING_MS = 7_000
/** Time to make up one's mind. */
const OFFER_MS = 15_000

class Notices {
  list = $state.raw<Notice[]>([])
  private last = 0

  /** Something was refused: stays until it is dismissed or the next thing works. */
  refuse(title: string, problem: Problem): void {
    this.add({ title, problem, text: '', action: null })
  }

  say(title: string, text = '', action: Notice['action'] = null): void {
    const id = this.add({ title, problem: null, text, action })
    setTimeout(() => this.dismiss(id), action ? OFFER_MS : PASSING_MS)
  }

  /** What was refused before is settled. */
  settle(): void {
    if (this.list.some((notice) => notice.problem)) this.list = this.list.filter((notice) => !notice.problem)
  }

  /** What was offered is about another run now. */
  withdraw(): void {
    if (this.list.some((notice) => notice.action)) this.list = this.list.filter((notice) => !notice.action)
  }

  dismiss(id: number): void {
    this.list = this.list.filter((notice) => notice.id !== id)
  }

  private add(notice: Omit<Notice, 'id'>): number {
    const id = ++this.last
    this.list = [...this.list.filter((n) => n.title !== notice.title), { ...notice, id }].slice(-MOST)
    return id
  }
}

export const notices = new Notices()
