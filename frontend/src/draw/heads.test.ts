import { describe, expect, it } from 'vitest'
import { Heads } from './heads'
import { readTheme } from './theme'

/** A canvas that only notes what is asked of it. */
function recorder(): { ctx: CanvasRenderingContext2D; calls: string[] } {
  const calls: string[] = []
  const target: Record<string, unknown> = { getTransform: () => ({ a: 1 }) }
  const ctx = new Proxy(target, {
    get: (t, name: string) => t[name] ?? ((...args: unknown[]) => calls.push(`${name}(${args.join(',')})`)),
    set: (t, name: string, value) => {
      t[name] = value
      if (name === 'fillStyle') calls.push(`fill ${String(value)}`)
      return true
    },
  })
  return { ctx: ctx as unknown as CanvasRenderingContext2D, calls }
}

const theme = readTheme(null)

describe('message heads', () => {
  it('few subscriptions are rings: a disc and a smaller one of paper on the same spot', () => {
    const { ctx, calls } = recorder()
    const heads = new Heads()
    heads.add('subscription', 10, 20, 0, 1)
    heads.paint(ctx, theme, 8, 3)
    const arcs = calls.filter((c) => c.startsWith('arc('))
    expect(arcs).toHaveLength(2)
    expect(arcs.every((c) => c.startsWith('arc(10,20,'))).toBe(true)
    expect(calls.indexOf(`fill ${theme.color.sub}`)).toBeLessThan(calls.indexOf(`fill ${theme.color.paper}`))
  })

  it('many are painted without arcs, arrowheads in a single fill', () => {
    const { ctx, calls } = recorder()
    const heads = new Heads()
    for (let i = 0; i < 500; i++) heads.add(i % 2 ? 'subscription' : 'publication', i, i, 0, 1)
    heads.paint(ctx, theme, 8, 3)
    expect(calls.filter((c) => c.startsWith('arc('))).toHaveLength(0)
    expect(calls.filter((c) => c === 'fill()')).toHaveLength(1)
    expect(calls.filter((c) => c.startsWith('fillRect('))).toHaveLength(500)
  })

  it('in a crowd are single squares', () => {
    const { ctx, calls } = recorder()
    const heads = new Heads(200)
    for (let i = 0; i < 300; i++) heads.add('subscription', i, i, 0, 1)
    heads.paint(ctx, theme, 8, 3)
    expect(calls.filter((c) => c.startsWith('fillRect('))).toHaveLength(300)
  })

  it('arrowheads point where they are going', () => {
    const { ctx, calls } = recorder()
    const heads = new Heads()
    for (let i = 0; i < 200; i++) heads.add('publication', 100, 100, Math.PI / 2, 1)
    heads.paint(ctx, theme, 10, 3)
    const [, x, y] = /moveTo\(([^,]+),([^)]+)\)/.exec(calls.find((c) => c.startsWith('moveTo'))!)!
    expect(Number(x)).toBeCloseTo(100)
    expect(Number(y)).toBeGreaterThan(104)
  })

  it('are forgotten between frames', () => {
    const heads = new Heads()
    heads.add('structure', 0, 0, 0, 1)
    heads.burst('publication', 'fading', 0, 0, 0, 0.5)
    expect(heads.count).toBe(2)
    heads.clear()
    expect(heads.count).toBe(0)
  })
})
