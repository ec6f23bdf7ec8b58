/** The one animation loop of the page: everything that moves is called from here, in the order of joining. */
import { run } from './run.svelte'

type Tick = (now: number, speed: number) => void

const ticks = new Set<Tick>()
let running = false

function frame(wall: number): void {
  if (!ticks.size) {
    running = false
    return
  }
  const now = run.tick(wall / 1000)
  const speed = run.state?.speed ?? 1
  for (const tick of ticks) {
    try {
      tick(now, speed)
    } catch (error) {
      // One broken picture must not stop the others, nor fill the console sixty times a second.
      ticks.delete(tick)
      reportError(error)
    }
  }
  requestAnimationFrame(frame)
}

/** Calls `tick` with the virtual time to draw, in every animation frame, until the returned function is called. */
export function onTick(tick: Tick): () => void {
  ticks.add(tick)
  if (!running) {
    running = true
    requestAnimationFrame(frame)
  }
  return () => ticks.delete(tick)
}
