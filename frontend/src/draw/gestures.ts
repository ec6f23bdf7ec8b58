/** Pointer, wheel and pinch, turned into camera moves and clicks: one finger or the mouse pans, two fingers pinch. */
import type { Point, Via } from './types'

export interface GestureTarget {
  pan(dx: number, dy: number): void
  zoomAt(x: number, y: number, factor: number): void
  click(at: Point, via: Via): void
  doubleClick(at: Point): void
  /** null: the pointer left. */
  point(at: Point | null): void
  /** A drag or pinch began or ended. */
  grab(grabbing: boolean): void
}

/** A press that moves less than this many pixels is a click. */
const SLACK = { mouse: 4, touch: 10 }

/** Listens on `host` until the returned function is called. */
export function listen(host: HTMLElement, target: GestureTarget): () => void {
  const fingers = new Map<number, Point>()
  let pressed: Point | null = null
  let dragging = false
  let pinched = false
  let last: { at: Point; time: number } | null = null
  const stop = new AbortController()
  const { signal } = stop

  const place = (e: MouseEvent): Point => {
    const box = host.getBoundingClientRect()
    return { x: e.clientX - box.left, y: e.clientY - box.top }
  }
  const spread = (): { centre: Point; apart: number } => {
    const [a, b] = [...fingers.values()] as [Point, Point]
    return { centre: { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 }, apart: Math.hypot(a.x - b.x, a.y - b.y) }
  }
  // Controls lie above the picture inside the same host: what starts on them is not ours.
  const ours = (e: Event): boolean => e.target === host || e.target instanceof HTMLCanvasElement

  const down = (e: PointerEvent): void => {
    if (!ours(e) || (e.pointerType === 'mouse' && e.button !== 0)) return
    fingers.set(e.pointerId, place(e))
    if (fingers.size === 1) {
      pressed = place(e)
      dragging = pinched = false
    } else if (fingers.size === 2) {
      pinched = true
      target.grab(true)
    }
    host.setPointerCapture(e.pointerId)
  }

  const move = (e: PointerEvent): void => {
    const at = place(e)
    const before = fingers.get(e.pointerId)
    if (!before) {
      if (e.pointerType === 'mouse') target.point(ours(e) ? at : null)
      return
    }
    if (fingers.size === 2) {
      const was = spread()
      fingers.set(e.pointerId, at)
      const is = spread()
      target.pan(is.centre.x - was.centre.x, is.centre.y - was.centre.y)
      if (was.apart > 1) target.zoomAt(is.centre.x, is.centre.y, is.apart / was.apart)
      return
    }
    if (pressed && !dragging && !pinched) {
      const slack = e.pointerType === 'touch' ? SLACK.touch : SLACK.mouse
      if (Math.hypot(at.x - pressed.x, at.y - pressed.y) < slack) return
      dragging = true
      target.grab(true)
      target.point(null)
    }
    fingers.set(e.pointerId, at)
    target.pan(at.x - before.x, at.y - before.y)
  }

  const up = (e: PointerEvent): void => {
    if (!fingers.delete(e.pointerId)) return
    if (fingers.size) return
    if (dragging || pinched) target.grab(false)
    else if (pressed && e.type === 'pointerup') {
      const again =
        last && e.timeStamp - last.time < 320 && Math.hypot(last.at.x - pressed.x, last.at.y - pressed.y) < 24
      if (again) target.doubleClick(pressed)
      else target.click(pressed, e.pointerType === 'touch' || e.pointerType === 'pen' ? 'touch' : 'mouse')
      last = again ? null : { at: pressed, time: e.timeStamp }
    }
    pressed = null
    dragging = false
  }

  const wheel = (e: WheelEvent): void => {
    if (!ours(e)) return
    e.preventDefault()
    const at = place(e)
    const unit = e.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1
    // Trackpads send pinches as ctrl + wheel in small steps; a notch of a mouse wheel is about 100.
    target.zoomAt(
      at.x,
      at.y,
      Math.exp(-Math.max(-240, Math.min(240, e.deltaY * unit)) * (e.ctrlKey ? 0.01 : 0.0022)),
    )
  }

  host.addEventListener('pointerdown', down, { signal })
  host.addEventListener('pointermove', move, { signal })
  host.addEventListener('pointerup', up, { signal })
  host.addEventListener('pointercancel', up, { signal })
  host.addEventListener('pointerleave', () => target.point(null), { signal })
  host.addEventListener('wheel', wheel, { signal, passive: false })
  host.style.touchAction = 'none'
  return () => stop.abort()
}
