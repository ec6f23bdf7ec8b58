/**
 * The symbols, once for both pictures and interface: shapes are SVG path data, painted on canvas through `Path2D` and
 * written into pages as inline SVG. Shape comes first, hue second: each is readable without colour.
 */
import { n, shape } from './shapes'
import type { Ink } from './theme'

/** One stroke of a symbol. Hatched fills are amber on soft amber. */
export interface Part {
  d: string
  fill?: Ink | 'hatch'
  stroke?: Ink
  width?: number
  dash?: readonly number[]
}

export type Glyph =
  | 'forwards'
  | 'subscriber'
  | 'delivered'
  | 'root'
  | 'publisher'
  | 'wrong'
  | 'wrong-subscriber'
  | 'wrong-delivered'
  | 'wrong-root'
  | 'failed'
  | 'corrupted'
  | 'pub'
  | 'sub'
  | 'structure'
  | 'ok'
  | 'bad'
  | 'cross'
  | 'restore'
  | 'tree'
  | 'shortcut'
  | 'excluded'
  | 'dead'
  | 'oneway'
  | 'region'
  | 'quality'
  | 'storm'
  | Loss

/** Why a message was lost. */
export type Loss = 'loss' | 'fading' | 'collision' | 'busy' | 'dead-end'

/** By place in DROP_REASONS: what was filtered had arrived, so it looks like any loss. */
export const LOSSES: readonly Loss[] = ['loss', 'dead-end', 'dead-end', 'loss', 'fading', 'collision', 'busy']

/** Outline of a loss, as large as `r`; what it was came along +x. */
export function lossShape(loss: Loss, r: number): string {
  switch (loss) {
    case 'loss':
      return shape.rays(r)
    case 'fading':
      return shape.waves(r)
    case 'collision':
      return shape.clash(r)
    case 'busy':
      return shape.bars(r)
    case 'dead-end':
      return shape.cross(r * 0.6)
  }
}

/** The parts of a symbol around (0, 0); `r` is the radius of a plain node in the same picture. */
export function glyph(name: Glyph, r: number): Part[] {
  // Strokes grow with small symbols only, so that large ones do not get coarse.
  const w = Math.min(1.25, 0.62 + r * 0.16) + Math.max(0, r - 5) * 0.09
  switch (name) {
    case 'forwards':
      return [{ d: shape.circle(r), fill: 'paper', stroke: 'ink', width: w }]
    case 'subscriber':
      return [{ d: shape.circle(r * 1.35), fill: 'ink', stroke: 'paper', width: 1.5 }]
    case 'delivered':
      return [
        {
          d: shape.circle(r * 1.35 + Math.min(3, 1 + r * 0.5) + 0.8),
          fill: 'paper',
          stroke: 'pub',
          width: 1.6,
        },
        { d: shape.circle(r * 1.35), fill: 'pub' },
      ]
    case 'root':
      return [
        {
          d: shape.square(r + Math.min(3, 1 + r * 0.5)),
          fill: 'paper',
          stroke: 'ink',
          width: Math.min(2.2, 1 + r * 0.3),
        },
        { d: shape.circle(r * 0.62), fill: 'ink' },
      ]
    case 'wrong-root':
      return [
        {
          d: shape.square(r + Math.min(3, 1 + r * 0.5)),
          fill: 'paper',
          stroke: 'wrong-ink',
          width: Math.min(2.2, 1 + r * 0.3),
        },
        ...glyph('wrong', r * 0.62),
      ]
    case 'publisher':
      return [
        { d: shape.circle(r * 2.1), fill: 'paper', stroke: 'pub', width: Math.min(2, 0.8 + r * 0.3) },
        { d: shape.arrow(r * 1.35), fill: 'pub' },
      ]
    case 'wrong':
      return [{ d: shape.triangle(r * 1.75), fill: 'wrong', stroke: 'tri', width: w + 0.05 }]
    case 'wrong-subscriber':
      return [
        ...glyph('wrong', r * 1.08),
        { d: shape.circle(Math.max(1.4, r * 0.5), 0, r * 0.34), fill: 'dot', stroke: 'tri', width: 0.9 },
      ]
    case 'wrong-delivered':
      return [
        { d: shape.circle(r * 2.1 + 1.5), fill: 'paper', stroke: 'pub', width: 1.6 },
        { d: shape.triangle(r * 1.6), fill: 'wrong', stroke: 'tri', width: w },
        { d: shape.circle(Math.max(1.5, r * 0.55), 0, r * 0.3), fill: 'pub', stroke: 'paper', width: 0.8 },
      ]
    case 'failed': {
      const outer = Math.max(r * 2.7, Math.min(8, 3 + r * 2))
      return [
        { d: shape.circle(outer), fill: 'paper', stroke: 'ink', width: 1.6, dash: [3.5, 3] },
        { d: shape.cross(outer * 0.46), stroke: 'ink', width: Math.min(3, outer * 0.36) },
      ]
    }
    case 'corrupted':
      return [
        { d: shape.diamond(r * 2.1), fill: 'paper', stroke: 'wrong-ink', width: w + 0.35 },
        { d: shape.bolt(r * 2.1), stroke: 'wrong-ink', width: w + 0.25 },
      ]
    case 'pub':
      return [{ d: shape.arrow(r), fill: 'pub' }]
    case 'sub':
      return [{ d: shape.circle(r), fill: 'paper', stroke: 'sub', width: Math.max(1.4, r * 0.5) }]
    case 'structure':
      return [{ d: `M0 ${n(-r)}V${n(r)}`, stroke: 'ink-3', width: 1.4 }]
    case 'ok':
      return [
        { d: shape.circle(r), fill: 'legit' },
        { d: shape.tick(r), stroke: 'panel', width: r * 0.27 },
      ]
    case 'bad':
      return [
        {
          d: `M0 ${n(-r)}L${n(r * 1.07)} ${n(r * 0.93)}H${n(-r * 1.07)}z`,
          fill: 'hatch',
          stroke: 'wrong-ink',
          width: r * 0.21,
        },
      ]
    case 'cross':
      return [{ d: shape.cross(r), stroke: 'ink', width: r * 0.57 }]
    case 'restore':
      return [
        { d: shape.circle(r), fill: 'panel', stroke: 'ink', width: r * 0.26 },
        { d: shape.tick(r), stroke: 'ink', width: r * 0.3 },
      ]
    case 'tree':
      return [{ d: shape.line(r), stroke: 'tree', width: 2.8 }]
    case 'shortcut':
      return [{ d: shape.line(r), stroke: 'chord', width: 1.2 }]
    case 'excluded':
      return [{ d: shape.line(r), stroke: 'excl', width: 1.4, dash: [1, 4] }]
    case 'dead':
      return [{ d: shape.line(r), stroke: 'ghost', width: 1.4, dash: [5, 4] }]
    case 'oneway':
      return [
        { d: shape.line(r), stroke: 'ghost', width: 1.4, dash: [5, 4] },
        { d: `M${n(r * 0.1)} -3.2L${n(r * 0.55)} 0L${n(r * 0.1)} 3.2`, stroke: 'ghost', width: 1.4 },
      ]
    case 'region':
      return [{ d: shape.circle(r), fill: 'wrong-soft', stroke: 'wrong', width: 1.25 }]
    case 'quality':
      return [0.8, 2, 3.6].map((width, i) => ({
        d: `M${n(-r)} ${n((i - 1) * r * 0.55)}H${n(r)}`,
        stroke: 'chord',
        width,
      }))
    case 'storm':
      return [
        {
          d: `M${n(-r * 0.62)} ${n(r * 0.1)}a${n(r * 0.42)} ${n(r * 0.42)} 0 0 1 ${n(r * 0.1)} ${n(-r * 0.82)}a${n(r * 0.58)} ${n(r * 0.58)} 0 0 1 ${n(r * 1.05)} ${n(r * 0.12)}a${n(r * 0.36)} ${n(r * 0.36)} 0 0 1 ${n(r * 0.05)} ${n(r * 0.7)}z`,
          fill: 'paper',
          stroke: 'ink',
          width: 1.3,
        },
        {
          d: `M${n(r * 0.12)} ${n(-r * 0.1)}L${n(-r * 0.22)} ${n(r * 0.5)}H${n(r * 0.2)}L${n(-r * 0.06)} ${n(r)}`,
          stroke: 'wrong-ink',
          width: 1.5,
        },
      ]
    default:
      return [{ d: lossShape(name, r), stroke: 'ink-2', width: 1.5 }]
  }
}

/** Radius that fills a 16 × 16 box well, per symbol. */
const ICON: Partial<Record<Glyph, number>> = {
  forwards: 4.5,
  subscriber: 3.7,
  delivered: 2.9,
  root: 3.2,
  'wrong-root': 3.2,
  publisher: 3,
  wrong: 3.7,
  'wrong-subscriber': 3.6,
  'wrong-delivered': 2.6,
  failed: 2.6,
  corrupted: 3.1,
  pub: 6.6,
  sub: 4.3,
  structure: 4,
  cross: 4,
  restore: 6,
  region: 6.5,
  storm: 7,
  loss: 6,
  fading: 6,
  collision: 5.5,
  busy: 5,
  'dead-end': 6,
}

/**
 * A symbol as an inline `<svg>` with a 16 × 16 view box (line samples: 20 × 16), coloured by the page's tokens.
 *
 * Decorative by default: the text beside it says what it is.
 */
export function glyphSvg(name: Glyph, size = 16): string {
  const wide = ['tree', 'shortcut', 'excluded', 'dead', 'oneway', 'quality'].includes(name)
  const half = wide ? 10 : 8
  const id = `hatch-${++hatches}`
  const parts = glyph(name, ICON[name] ?? (wide ? 9 : 7))
  // Triangles look centred a little below the middle of their box.
  const sink =
    name.startsWith('wrong') && name !== 'wrong-root' && name !== 'wrong-delivered'
      ? 0.8
      : name === 'bad'
        ? 0.4
        : 0
  const body = parts.map((p) => partSvg(p, id)).join('')
  const defs = parts.some((p) => p.fill === 'hatch') ? hatchSvg(id) : ''
  return (
    `<svg class="glyph" width="${(size * half) / 8}" height="${size}" viewBox="${-half} ${-8 - sink} ${2 * half} 16" ` +
    `aria-hidden="true" focusable="false">${defs}${body}</svg>`
  )
}

let hatches = 0

const token = (ink: Ink): string =>
  ink === 'dot'
    ? 'var(--dot, var(--tri))'
    : ink === 'twig' || ink === 'crown' || ink === 'link'
      ? 'var(--chord)'
      : ink === 'path'
        ? 'var(--pub)'
        : `var(--${ink})`

function partSvg(p: Part, hatchId: string): string {
  const fill = p.fill === 'hatch' ? `url(#${hatchId})` : p.fill ? token(p.fill) : 'none'
  const stroke = p.stroke
    ? ` stroke="${token(p.stroke)}" stroke-width="${n(p.width ?? 1)}" stroke-linecap="round" stroke-linejoin="round"`
    : ''
  const dash = p.dash ? ` stroke-dasharray="${p.dash.join(' ')}"` : ''
  return `<path d="${p.d}" fill="${fill}"${stroke}${dash}/>`
}

function hatchSvg(id: string): string {
  return (
    `<defs><pattern id="${id}" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">` +
    `<rect width="5" height="5" fill="var(--wrong-soft)"/><rect width="2" height="5" fill="var(--wrong)"/></pattern></defs>`
  )
}
