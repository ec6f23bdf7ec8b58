/** The palette, read from the page's custom properties, so that pictures and interface share one set of tokens. */

/** Every token the pictures use, with its value in the light theme (used outside a page, as in tests). */
const LIGHT = {
  paper: '#FAF9F6',
  panel: '#FFFFFF',
  sunk: '#F2F0EA',
  line: '#E4E0D6',
  'line-2': '#C9C3B5',
  ink: '#15171C',
  'ink-2': '#474B54',
  'ink-3': '#656972',
  legit: '#00725B',
  wrong: '#EFA300',
  tri: '#6B3F00',
  'wrong-ink': '#8A5200',
  'wrong-soft': '#FDF0CF',
  pub: '#CE0F57',
  'pub-soft': '#FBE3EC',
  sub: '#125FBD',
  tree: '#2A2D34',
  chord: '#A7A59C',
  excl: '#B9B5A9',
  ghost: '#8B8E95',
  focus: '#125FBD',
}

export type Token = keyof typeof LIGHT
/** A colour by what it means; the last five are derived from the tokens. */
export type Ink = Token | 'twig' | 'path' | 'dot' | 'crown' | 'link'

export interface Theme {
  dark: boolean
  sans: string
  color: Record<Ink, string>
  /** Raised whenever the palette was read again: caches of painted things are keyed by it. */
  version: number
}

let versions = 0

/** Reads the palette where `element` stands. */
export function readTheme(element: Element | null): Theme {
  const style = element ? getComputedStyle(element) : null
  const read = (name: string, otherwise: string): string =>
    style?.getPropertyValue(`--${name}`).trim() || otherwise
  const color = {} as Record<Ink, string>
  for (const [token, value] of Object.entries(LIGHT)) color[token as Token] = read(token, value)
  const dark = luminance(color.paper) < 0.3
  color.twig = mix(color.tree, color.paper, dark ? 0.42 : 0.34)
  color.path = mix(color.pub, color.paper, 0.45)
  // A subscriber's dot in a wrong node's triangle: the triangle's own dark reads as a hole on dark paper.
  color.dot = dark ? color.ink : color.tri
  color.link = mix(color.chord, color.paper, dark ? 0.3 : 0.36)
  color.crown = mix(color.chord, color.paper, dark ? 0.12 : 0)
  return { dark, sans: read('sans', 'system-ui, sans-serif'), color, version: ++versions }
}

type Rgb = readonly [number, number, number]

/** Reads #rgb, #rrggbb or rgb(…); anything else is black. */
export function parseColor(text: string): Rgb {
  const hex = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(text)?.[1]
  if (hex) {
    const at = (i: number): number =>
      hex.length === 3 ? parseInt(hex.charAt(i).repeat(2), 16) : parseInt(hex.slice(2 * i, 2 * i + 2), 16)
    return [at(0), at(1), at(2)]
  }
  const [r = 0, g = 0, b = 0] = (text.match(/[\d.]+/g) ?? []).map(Number)
  return [r, g, b]
}

/** `a` moved towards `b` by `share`: an opaque stand-in for transparency, so overlaps do not darken. */
export function mix(a: string, b: string, share: number): string {
  const from = parseColor(a)
  const to = parseColor(b)
  const at = (i: 0 | 1 | 2): number => Math.round(from[i] + (to[i] - from[i]) * share)
  return `rgb(${at(0)}, ${at(1)}, ${at(2)})`
}

/** `text` with the opacity `alpha`. */
export function fade(text: string, alpha: number): string {
  return `rgba(${parseColor(text).join(', ')}, ${alpha})`
}

/** Relative luminance, 0 … 1 (WCAG 2). */
export function luminance(text: string): number {
  const [r, g, b] = parseColor(text).map((c) => {
    const s = c / 255
    return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4
  }) as unknown as Rgb
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

/** Anything that can be painted on. */
export type Canvas2D = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D

const patterns = new Map<string, CanvasPattern>()

/** Diagonal hatching: `stripe` on `ground`, a stripe of `width` every `period` pixels. */
export function hatch(
  ctx: Canvas2D,
  stripe: string,
  ground: string | null,
  width: number,
  period: number,
): CanvasPattern | string {
  const ratio = ctx.getTransform().a || 1
  const key = [stripe, ground, width, period, ratio].join()
  let pattern = patterns.get(key)
  if (!pattern) {
    // One tile holds a whole number of device pixels along each side, so the stripes join without a seam.
    const side = Math.max(4, Math.round(period * Math.SQRT2 * ratio))
    const tile = document.createElement('canvas')
    tile.width = tile.height = side
    const t = tile.getContext('2d')
    if (!t) return stripe
    if (ground) {
      t.fillStyle = ground
      t.fillRect(0, 0, side, side)
    }
    t.strokeStyle = stripe
    t.lineWidth = width * ratio
    t.lineCap = 'square'
    t.beginPath()
    for (const offset of [-side, 0, side]) {
      t.moveTo(offset, side)
      t.lineTo(offset + side, 0)
    }
    t.stroke()
    const made = ctx.createPattern(tile, 'repeat')
    if (!made) return stripe
    // Tiles on whole pixels are copied; any transform, even none at all, makes the browser interpolate.
    if (ratio !== 1) made.setTransform(new DOMMatrix().scale(1 / ratio))
    if (patterns.size > 24) patterns.clear()
    patterns.set(key, (pattern = made))
  }
  return pattern
}
