/** Storms to choose from, in proportion to the network. */
export type Intensity = 'gentle' | 'rough' | 'wild'

export const INTENSITIES: readonly [Intensity, string][] = [
  ['gentle', 'Gentle'],
  ['rough', 'Rough'],
  ['wild', 'Wild'],
]

/** Per second, of every link or node: of a hundred links under a gentle storm one flaps every two seconds. */
const SHARES: Record<
  Intensity,
  { flaps: number; crashes: number; corruptions: number; joins: number; churn: number }
> = {
  gentle: { flaps: 0.005, crashes: 0, corruptions: 0, joins: 0, churn: 0 },
  rough: { flaps: 0.01, crashes: 0.003, corruptions: 0.001, joins: 0, churn: 0.002 },
  wild: { flaps: 0.03, crashes: 0.01, corruptions: 0.01, joins: 0.001, churn: 0.01 },
}

/** The rates of a storm over a network of n nodes and m links, as its event has them; `serves`: there are subscriptions. */
export function rates(intensity: Intensity, n: number, m: number, serves: boolean): Record<string, number> {
  const share = SHARES[intensity]
  const found = {
    link_flaps_per_s: share.flaps * m,
    crashes_per_s: share.crashes * n,
    corruptions_per_s: share.corruptions * n,
    joins_per_s: share.joins * n,
    churn_per_s: serves ? share.churn * n : 0,
  }
  const tidy = (x: number): number => Math.min(1000, Number(x.toPrecision(2)))
  return Object.fromEntries(Object.entries(found).map(([name, rate]) => [name, tidy(rate)]))
}

/** What rates mean over a time: "about 60 link flaps, 12 crashes". */
export function expected(values: Readonly<Record<string, unknown>>, duration: number): string {
  const words = Object.entries(values).flatMap(([name, rate]) => {
    const times = name.endsWith('_per_s') ? Number(rate) * duration : 0
    if (!(times > 0)) return []
    return `${times < 1 ? '< 1' : Math.round(times).toLocaleString('en-GB')} ${name.slice(0, -6).replaceAll('_', ' ')}`
  })
  return words.length ? `about ${words.join(', ')}` : ''
}
