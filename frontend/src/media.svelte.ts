/** The three densities of the page: everything, projector (1280 × 720), phone. */
class Media {
  phone = $state(false)
  narrow = $state(false)
  low = $state(false)

  constructor() {
    this.follow('(max-width: 640px)', (is) => (this.phone = is))
    this.follow('(max-width: 1320px)', (is) => (this.narrow = is))
    this.follow('(max-height: 760px)', (is) => (this.low = is))
  }

  private follow(query: string, set: (matches: boolean) => void): void {
    const list = matchMedia(query)
    set(list.matches)
    list.addEventListener('change', (e) => set(e.matches))
  }
}

export const media = new Media()
