import { describe, expect, it } from 'vitest'
import { glyph, glyphSvg, type Glyph } from './glyphs'

const NODES: Glyph[] = [
  'forwards',
  'subscriber',
  'delivered',
  'root',
  'publisher',
  'wrong',
  'wrong-subscriber',
  'wrong-delivered',
  'wrong-root',
  'failed',
  'corrupted',
]
const ALL: Glyph[] = [
  ...NODES,
  'pub',
  'sub',
  'structure',
  'ok',
  'bad',
  'cross',
  'restore',
  'tree',
  'shortcut',
  'excluded',
  'dead',
  'oneway',
  'region',
]

/** What is left of a symbol when all hues are one: outlines, filled or not, dashed or not. */
const withoutHue = (name: Glyph): string =>
  JSON.stringify(
    glyph(name, 4).map((p) => [p.d, p.fill === undefined || p.fill === 'paper' ? 'open' : 'filled', p.dash]),
  )

describe('symbols', () => {
  it('of nodes differ in shape, not only in hue', () => {
    expect(new Set(NODES.map(withoutHue)).size).toBe(NODES.length)
  })

  it('of messages differ in shape, not only in hue', () => {
    expect(new Set((['pub', 'sub', 'structure'] as const).map(withoutHue)).size).toBe(3)
  })

  it.each(ALL)('%s is written as SVG with the page’s tokens', (name) => {
    const svg = glyphSvg(name, 14)
    expect(svg).toMatch(/^<svg class="glyph" [^>]*height="14"[^>]*aria-hidden="true"/)
    expect(svg).toContain('var(--')
    expect(svg).not.toMatch(/NaN|undefined/)
    expect(svg.match(/<path/g)?.length).toBe(glyph(name, 4).length)
  })

  it('with hatching do not share pattern ids on one page', () => {
    const id = (svg: string): string | undefined => /id="([^"]+)"/.exec(svg)?.[1]
    expect(id(glyphSvg('bad'))).toBeDefined()
    expect(id(glyphSvg('bad'))).not.toBe(id(glyphSvg('bad')))
  })
})
