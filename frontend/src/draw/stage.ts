/** The surface a picture is painted on: its size, its canvases' parent, and what happens on it. */
import { listen, type GestureTarget } from './gestures'

export interface Size {
  width: number
  height: number
  ratio: number
}

/** Sharper than this costs more than the eye gains. */
const SHARPEST = 3

export class Stage {
  readonly surface: HTMLDivElement
  private readonly observer: ResizeObserver
  private readonly stop: () => void
  private readonly motion: MediaQueryList | null
  private width = 0
  private height = 0

  constructor(
    private readonly host: HTMLElement,
    target: GestureTarget,
    keys: (e: KeyboardEvent) => boolean,
    private readonly calm?: boolean,
  ) {
    const surface = document.createElement('div')
    Object.assign(surface.style, {
      position: 'absolute',
      inset: '0',
      overflow: 'hidden',
      outlineOffset: '-2px',
    })
    surface.tabIndex = 0
    if (getComputedStyle(host).position === 'static') host.style.position = 'relative'
    host.prepend(surface)
    this.surface = surface
    this.motion = typeof matchMedia === 'function' ? matchMedia('(prefers-reduced-motion: reduce)') : null
    this.observer = new ResizeObserver(([entry]) => {
      if (entry) this.adopt(entry.contentRect.width, entry.contentRect.height)
    })
    this.observer.observe(surface)
    const box = surface.getBoundingClientRect()
    this.adopt(box.width, box.height)
    this.stop = listen(surface, target)
    surface.addEventListener('keydown', (e) => {
      if (e.ctrlKey || e.metaKey || e.altKey || !keys(e)) return
      e.preventDefault()
      e.stopPropagation()
    })
  }

  private adopt(width: number, height: number): void {
    this.width = Math.round(width)
    this.height = Math.round(height)
  }

  size(sharpest = SHARPEST): Size {
    return { width: this.width, height: this.height, ratio: Math.min(devicePixelRatio || 1, sharpest) }
  }

  get still(): boolean {
    return this.calm ?? this.motion?.matches ?? false
  }

  /** Whether the keyboard is here, and should be seen to be. */
  get focused(): boolean {
    return this.surface.matches(':focus-visible')
  }

  get theme(): Element {
    return this.host
  }

  remove(): void {
    this.stop()
    this.observer.disconnect()
    this.surface.remove()
  }
}
