/** Where nodes are drawn now: they glide when a world moves them, and new ones grow. Matched by id across worlds. */
import type { World } from '../model'
import { ease, type Box } from './camera'

const GLIDE = 420

export class Layout {
  x = new Float32Array(0)
  y = new Float32Array(0)
  /** 0 … 1: how much of its size a new node has. */
  grown = new Float32Array(0)
  /** Typical distance between neighbouring nodes, in world units. */
  spacing = 1
  box: Box = { left: 0, top: 0, right: 1, bottom: 1 }
  private from: { x: Float32Array; y: Float32Array; grown: Float32Array } | null = null
  private to: World | null = null
  private start = 0

  setWorld(world: World, now: number, animate: boolean): void {
    const before = this.to
    const at = new Map(before?.ids.map((id, i) => [id, i]))
    const from = { x: world.x.slice(), y: world.y.slice(), grown: new Float32Array(world.n) }
    let moved = false
    world.ids.forEach((id, i) => {
      const j = at.get(id)
      if (j !== undefined) {
        from.x[i] = this.x[j]!
        from.y[i] = this.y[j]!
        from.grown[i] = this.grown[j]!
      }
      moved ||= from.grown[i] !== 1 || from.x[i] !== world.x[i] || from.y[i] !== world.y[i]
    })
    this.to = world
    this.measure(world)
    this.start = now
    if (animate && moved) {
      this.from = from
      this.x = from.x.slice()
      this.y = from.y.slice()
      this.grown = from.grown.slice()
    } else {
      this.from = null
      this.x = world.x.slice()
      this.y = world.y.slice()
      this.grown = new Float32Array(world.n).fill(1)
    }
  }

  /** Moves the nodes on; true when any of them has moved. */
  step(now: number): boolean {
    const { from, to } = this
    if (!from || !to) return false
    const u = ease(Math.min(1, Math.max(0, (now - this.start) / GLIDE)))
    for (let i = 0; i < to.n; i++) {
      this.x[i] = from.x[i]! + (to.x[i]! - from.x[i]!) * u
      this.y[i] = from.y[i]! + (to.y[i]! - from.y[i]!) * u
      this.grown[i] = from.grown[i]! + (1 - from.grown[i]!) * u
    }
    if (u >= 1) this.from = null
    return true
  }

  get moving(): boolean {
    return this.from !== null
  }

  private measure(world: World): void {
    const box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity }
    for (let i = 0; i < world.n; i++) {
      box.left = Math.min(box.left, world.x[i]!)
      box.right = Math.max(box.right, world.x[i]!)
      box.top = Math.min(box.top, world.y[i]!)
      box.bottom = Math.max(box.bottom, world.y[i]!)
    }
    if (world.n === 0) Object.assign(box, { left: 0, top: 0, right: 1, bottom: 1 })
    // A single node, or all in one place or on one line: give the box some body.
    const size = Math.max(box.right - box.left, box.bottom - box.top) || 1
    for (const [low, high] of [
      ['left', 'right'],
      ['top', 'bottom'],
    ] as const) {
      const lacking = size * 0.2 - (box[high] - box[low])
      if (lacking > 0) {
        box[low] -= lacking / 2
        box[high] += lacking / 2
      }
    }
    this.box = box
    this.spacing = Math.sqrt(((box.right - box.left) * (box.bottom - box.top)) / Math.max(1, world.n))
  }
}
