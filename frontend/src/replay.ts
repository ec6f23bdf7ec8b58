/**
 * The clock the pictures run on.
 *
 * Frames arrive in steps, some twenty a second and never quite evenly; drawn at their own times, messages would
 * stutter. So the drawn time runs a little behind the server's, by about the gap between two frames, and is nudged
 * towards where it should be: smooth at every speed, never ahead of what is known. State (alive, wrong, parent …) is
 * not delayed: it is shown as soon as it arrives.
 */
export class ReplayClock {
  /** Virtual seconds shown now. */
  now = 0
  /** Virtual seconds per second, as measured. */
  rate = 1

  private latest = 0
  private arrived = 0
  private drawn = 0
  private gap = 0.05
  private playing = false
  private speed = 1
  /** Frames of the last second: when, and how far the server was. */
  private heard: [wall: number, t: number][] = []

  constructor(private readonly reduced = false) {}

  /** Starts over at t, for instance after a reset or an undo. */
  jump(t: number, wall: number): void {
    this.now = this.latest = t
    this.arrived = this.drawn = wall
    this.heard = []
  }

  /** The server's word on whether, and how fast, time runs. */
  run(playing: boolean, speed: number): void {
    if (playing !== this.playing || speed !== this.speed) {
      this.rate = speed
      this.heard = []
    }
    this.playing = playing
    this.speed = speed
  }

  /** A frame arrived: the server has played up to t. `wall` in seconds. */
  reach(t: number, wall: number): void {
    if (t < this.now - 1e-9) return this.jump(t, wall)
    const passed = wall - this.arrived
    if (this.playing && t > this.latest) {
      // A pause of the server (a parked tab, a slow moment) says nothing about its pace.
      if (passed > 1) this.heard = []
      this.heard.push([wall, t])
      this.measure(wall)
      // The longest recent gap counts: with the mean one every late frame would show as a stop.
      const late = Math.min(passed, 0.3)
      this.gap = Math.max(late, this.gap + (late - this.gap) * 0.05)
    }
    this.latest = t
    this.arrived = wall
  }

  /** The pace over the last second or so: single gaps between frames are too uneven to go by. */
  private measure(wall: number): void {
    while (this.heard.length > 2 && wall - (this.heard[1]?.[0] ?? wall) > 1) this.heard.shift()
    const [first, last] = [this.heard[0], this.heard.at(-1)]
    const span = (last?.[0] ?? 0) - (first?.[0] ?? 0)
    if (span < 0.4) return
    const pace = ((last?.[1] ?? 0) - (first?.[1] ?? 0)) / span
    this.rate = Math.min(pace, this.speed * 1.25)
  }

  /** Moves to what should be shown at `wall` (seconds) and returns it. */
  tick(wall: number): number {
    const passed = Math.min(Math.max(wall - this.drawn, 0), 0.25)
    this.drawn = wall
    if (!this.playing) {
      // Paused or stepping: glide to the latest time, so that a step can be followed by eye.
      const left = this.latest - this.now
      this.now = this.reduced || left < 1e-6 ? this.latest : this.now + left * (1 - Math.exp(-passed * 9))
      if (this.latest - this.now < 0.002 * left) this.now = this.latest
      return this.now
    }
    const behind = this.gap * 1.1 + 0.01
    const aim = this.latest + (wall - this.arrived - behind) * this.rate
    const drift = aim - this.now
    // Far off (a tab came back, the speed changed): go there at once instead of racing.
    const next =
      Math.abs(drift) > this.rate * 1.5
        ? aim
        : this.now + passed * this.rate + drift * Math.min(1, passed * 4)
    this.now = Math.min(this.latest, Math.max(this.now, next))
    return this.now
  }
}
