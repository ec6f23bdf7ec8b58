/** Light or dark: what was chosen here, else what the system says. */

export type ThemeName = 'light' | 'dark'

const KEY = 'ringcast.theme'
const system = matchMedia('(prefers-color-scheme: dark)')

function stored(): ThemeName | null {
  try {
    const value = localStorage.getItem(KEY)
    return value === 'light' || value === 'dark' ? value : null
  } catch {
    return null
  }
}

class Theme {
  private chosen = $state<ThemeName | null>(stored())
  private dark = $state(system.matches)
  readonly name: ThemeName = $derived(this.chosen ?? (this.dark ? 'dark' : 'light'))

  constructor() {
    system.addEventListener('change', (e) => {
      this.dark = e.matches
      applyTheme()
    })
  }

  toggle(): void {
    this.chosen = this.name === 'dark' ? 'light' : 'dark'
    try {
      localStorage.setItem(KEY, this.chosen)
    } catch {
      // kept for this visit only
    }
    applyTheme()
  }
}

export const theme = new Theme()

/** Puts the theme on the page, before anything that reads colours from it. */
export function applyTheme(): void {
  document.documentElement.dataset.theme = theme.name
  const colour = theme.name === 'dark' ? '#161a21' : '#ffffff'
  document.querySelector('meta[name=theme-color]')?.setAttribute('content', colour)
}
