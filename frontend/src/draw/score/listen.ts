/** Pointer, wheel and keys over the score. */
import type { Point } from '../types'

export interface ScoreTarget {
  /** A press begins; what is dragged is decided here. */
  press(at: Point): void
  drag(at: Point): void
  /** The press ends; `click` when it has not moved. */
  release(at: Point, click: boolean): void
  /** null: the pointer left. Fingers do not hover. */
  point(at: Point | null): void
  doubleClick(): void
  /** px to the right, and how much longer (> 1) a stretch to show around x. */
  wheel(x: number, sideways: number, factor: number): void
  key(key: string): boolean
}

const SLACK = 3

/** Listens on `surface` for as long as it exists. */
export function listenScore(surface: HTMLElement, target: ScoreTarget): void {
  const place = (e: MouseEvent): Point => {
    const box = surface.getBoundingClientRect()
    return { x: e.clientX - box.left, y: e.clientY - box.top }
  }
  let pressed: Point | null = null
  let moved = false

  surface.addEventListener('pointerdown', (e) => {
    if (e.button !== 0) return
    pressed = place(e)
    moved = false
    surface.setPointerCapture(e.pointerId)
    target.press(pressed)
  })
  surface.addEventListener('pointermove', (e) => {
    const at = place(e)
    moved ||= pressed !== null && Math.abs(at.x - pressed.x) > SLACK
    if (pressed && moved) target.drag(at)
    else target.point(e.pointerType === 'mouse' ? at : null)
  })
  for (const end of ['pointerup', 'pointercancel'] as const)
    surface.addEventListener(end, (e) => {
      if (pressed) target.release(place(e), end === 'pointerup' && !moved)
      pressed = null
    })
  surface.addEventListener('pointerleave', () => target.point(null))
  surface.addEventListener('dblclick', () => target.doubleClick())
  surface.addEventListener(
    'wheel',
    (e) => {
      e.preventDefault()
      const unit = e.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1
      const [dx, dy] = e.shiftKey ? [e.deltaX || e.deltaY, 0] : [e.deltaX, e.deltaY]
      if (!e.ctrlKey && Math.abs(dx) >= Math.abs(dy)) target.wheel(place(e).x, dx * unit, 1)
      else target.wheel(place(e).x, 0, Math.exp(Math.max(-240, Math.min(240, dy * unit)) * 0.0018))
    },
    { passive: false },
  )
  surface.addEventListener('keydown', (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || !target.key(e.key)) return
    e.preventDefault()
    e.stopPropagation()
  })
}
