/** Outlines as SVG path data around (0, 0). */
/** A number as path data has it: no more digits than can be seen. */
export const n = (x: number): string => String(Math.round(x * 1000) / 1000)

export const shape = {
  circle: (r: number, x = 0, y = 0): string =>
    `M${n(x - r)} ${n(y)}a${n(r)} ${n(r)} 0 1 0 ${n(2 * r)} 0a${n(r)} ${n(r)} 0 1 0 ${n(-2 * r)} 0z`,
  square: (r: number): string => `M${n(-r)} ${n(-r)}h${n(2 * r)}v${n(2 * r)}h${n(-2 * r)}z`,
  triangle: (t: number): string => `M0 ${n(-t)}L${n(t)} ${n(t * 0.78)}H${n(-t)}z`,
  diamond: (r: number): string => `M0 ${n(-r)}L${n(r)} 0L0 ${n(r)}L${n(-r)} 0z`,
  bolt: (r: number): string =>
    `M${n(r * 0.13)} ${n(-r * 0.62)}L${n(-r * 0.2)} ${n(r * 0.04)}H${n(r * 0.2)}L${n(-r * 0.13)} ${n(r * 0.62)}`,
  /** Points along +x, its point at s. */
  arrow: (s: number): string =>
    `M${n(-s * 0.75)} ${n(-s * 0.62)}L${n(s)} 0L${n(-s * 0.75)} ${n(s * 0.62)}L${n(-s * 0.3)} 0z`,
  cross: (r: number): string => `M${n(-r)} ${n(-r)}L${n(r)} ${n(r)}M${n(r)} ${n(-r)}L${n(-r)} ${n(r)}`,
  /** Why something was lost; along +x it came. Rays that fly apart. */
  rays: (s: number): string =>
    Array.from({ length: 6 }, (_, i) => {
      const [c, d] = [Math.cos((i * Math.PI) / 3 + 0.4), Math.sin((i * Math.PI) / 3 + 0.4)]
      return `M${n(c * s * 0.4)} ${n(d * s * 0.4)}L${n(c * s)} ${n(d * s)}`
    }).join(''),
  /** Waves that get smaller. */
  waves: (s: number): string =>
    [
      [-0.75, 0.95],
      [-0.05, 0.62],
      [0.6, 0.3],
    ]
      .map(([x = 0, h = 0]) => `M${n(x * s)} ${n(-h * s)}Q${n((x + h * 0.55) * s)} 0 ${n(x * s)} ${n(h * s)}`)
      .join(''),
  /** Two that run into each other. */
  clash: (s: number): string =>
    `M${n(-s)} ${n(-s * 0.8)}L${n(-s * 0.14)} 0L${n(-s)} ${n(s * 0.8)}M${n(s)} ${n(-s * 0.8)}L${n(s * 0.14)} 0L${n(s)} ${n(s * 0.8)}`,
  /** Held. */
  bars: (s: number): string =>
    `M${n(-s * 0.42)} ${n(-s * 0.8)}V${n(s * 0.8)}M${n(s * 0.42)} ${n(-s * 0.8)}V${n(s * 0.8)}`,
  line: (half: number): string => `M${n(-half)} 0H${n(half)}`,
  tick: (r: number): string =>
    `M${n(-r * 0.46)} ${n(r * 0.03)}L${n(-r * 0.13)} ${n(r * 0.36)}L${n(r * 0.47)} ${n(-r * 0.31)}`,
}
