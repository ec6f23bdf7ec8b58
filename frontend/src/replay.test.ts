import { describe, expect, it } from 'vitest'
import { ReplayClock } from './replay'

/** Plays `seconds` of wall time at 60 Hz, with server frames every `gap` s (jittered), and returns the drawn times. */
function play(clock: ReplayClock, speed: number, seconds: number, gap = 0.05, jitter = 0.02): number[] {
  const drawn: number[] = []
  let due = gap
  let k = 0
  for (let wall = 0; wall < seconds; wall += 1 / 60) {
    while (due <= wall) {
      clock.reach(due * speed, wall)
      due += gap + (k++ % 2 ? jitter : -jitter)
    }
    drawn.push(clock.tick(wall))
  }
  return drawn
}

describe('the clock of the pictures', () => {
  it.each([0.1, 1, 10, 100])('runs evenly at %s×, behind the server and never backwards', (speed) => {
    const clock = new ReplayClock()
    clock.jump(0, 0)
    clock.run(true, speed)
    const drawn = play(clock, speed, 4)
    const steps = drawn.slice(61).map((t, i) => (t - (drawn[60 + i] ?? 0)) / (speed / 60))
    expect(Math.min(...steps)).toBeGreaterThan(0.6)
    expect(Math.max(...steps)).toBeLessThan(1.4)
    const lag = (4 * speed - (drawn.at(-1) ?? 0)) / speed
    expect(lag).toBeGreaterThan(0)
    expect(lag).toBeLessThan(0.25)
  })

  it('follows a server slower than the chosen speed', () => {
    const clock = new ReplayClock()
    clock.jump(0, 0)
    clock.run(true, 10)
    for (let i = 1; i < 120; i++) {
      clock.reach(i * 0.05 * 4, i * 0.05)
      clock.tick(i * 0.05)
    }
    expect(clock.rate).toBeGreaterThan(3.5)
    expect(clock.rate).toBeLessThan(4.5)
  })

  it('glides to the end of a step and rests there', () => {
    const clock = new ReplayClock()
    clock.jump(5, 0)
    clock.run(false, 1)
    clock.reach(6, 0.1)
    const first = clock.tick(0.116)
    expect(first).toBeGreaterThan(5)
    expect(first).toBeLessThan(6)
    for (let wall = 0.13; wall < 2; wall += 1 / 60) clock.tick(wall)
    expect(clock.now).toBe(6)
  })

  it('with reduced motion it does not glide', () => {
    const clock = new ReplayClock(true)
    clock.jump(5, 0)
    clock.reach(6, 0.1)
    expect(clock.tick(0.11)).toBe(6)
  })

  it('goes back at once after an undo', () => {
    const clock = new ReplayClock()
    clock.jump(50, 0)
    clock.run(true, 1)
    clock.reach(20, 0.1)
    expect(clock.tick(0.11)).toBe(20)
  })

  it('does not race after a tab was asleep', () => {
    const clock = new ReplayClock()
    clock.jump(0, 0)
    clock.run(true, 1)
    clock.reach(300, 300)
    clock.tick(300)
    expect(clock.now).toBeGreaterThan(298)
  })
})
