/** A uniform grid over points, for finding what is near without looking at everything. */
export class Grid {
  private readonly cell: number
  private readonly left: number
  private readonly top: number
  private readonly columns: number
  private readonly rows: number
  private readonly start: Uint32Array
  private readonly items: Uint32Array

  /** About two points a cell. */
  constructor(
    readonly x: ArrayLike<number>,
    readonly y: ArrayLike<number>,
    readonly n: number,
  ) {
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
    for (let i = 0; i < n; i++) {
      left = Math.min(left, x[i]!)
      right = Math.max(right, x[i]!)
      top = Math.min(top, y[i]!)
      bottom = Math.max(bottom, y[i]!)
    }
    if (n === 0) [left, top, right, bottom] = [0, 0, 0, 0]
    const [w, h] = [right - left, bottom - top]
    this.cell = Math.max(Math.sqrt((w * h * 2) / Math.max(1, n)), Math.max(w, h) / 512, 1e-9)
    this.left = left
    this.top = top
    this.columns = Math.floor(w / this.cell) + 1
    this.rows = Math.floor(h / this.cell) + 1
    this.start = new Uint32Array(this.columns * this.rows + 1)
    this.items = new Uint32Array(n)
    const at = (i: number): number => this.row(y[i]!) * this.columns + this.column(x[i]!)
    for (let i = 0; i < n; i++) this.start[at(i) + 1]!++
    for (let c = 1; c < this.start.length; c++) this.start[c]! += this.start[c - 1]!
    const next = this.start.slice()
    for (let i = 0; i < n; i++) this.items[next[at(i)]!++] = i
  }

  private column(x: number): number {
    return Math.min(this.columns - 1, Math.max(0, Math.floor((x - this.left) / this.cell)))
  }

  private row(y: number): number {
    return Math.min(this.rows - 1, Math.max(0, Math.floor((y - this.top) / this.cell)))
  }

  /** Calls `visit` for every point whose cell touches the rectangle (a few more than lie inside). */
  within(left: number, top: number, right: number, bottom: number, visit: (i: number) => void): void {
    const [c0, c1, r0, r1] = [this.column(left), this.column(right), this.row(top), this.row(bottom)]
    for (let r = r0; r <= r1; r++)
      for (let k = this.start[r * this.columns + c0]!; k < this.start[r * this.columns + c1 + 1]!; k++)
        visit(this.items[k]!)
  }

  /** The point nearest to (px, py) within `reach` (in both axes' own scale kx, ky), or -1. */
  nearest(px: number, py: number, reach: number, kx = 1, ky = 1): number {
    let best = -1
    let least = reach * reach
    this.within(px - reach / kx, py - reach / ky, px + reach / kx, py + reach / ky, (i) => {
      const dx = (this.x[i]! - px) * kx
      const dy = (this.y[i]! - py) * ky
      const d = dx * dx + dy * dy
      if (d <= least) {
        least = d
        best = i
      }
    })
    return best
  }
}

/** Distance from (px, py) to the segment a–b. */
export function distanceToSegment(
  px: number,
  py: number,
  ax: number,
  ay: number,
  bx: number,
  by: number,
): number {
  const dx = bx - ax
  const dy = by - ay
  const u = Math.min(1, Math.max(0, ((px - ax) * dx + (py - ay) * dy) / (dx * dx + dy * dy || 1)))
  return Math.hypot(ax + dx * u - px, ay + dy * u - py)
}
