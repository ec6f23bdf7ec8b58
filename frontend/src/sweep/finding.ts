/** The sentence over a chart: what the figures say, and only as far as their intervals let them. */
import { sentence } from '../format'
import type { SweepDifference } from '../wire.gen'
import type { Measure } from './measures'
import { say, spread } from './measures'
import type { Dimension } from './dimensions'
import type { Cell } from './results'
import { said } from './dimensions'
import { isWhole } from './fields'

export interface Shown {
  cells: readonly Cell[]
  measure: Measure
  x: Dimension | null
  series: Dimension | null
  facet?: Dimension | null
  differences: readonly SweepDifference[]
}

/** The finding of what is shown; of the first small chart where there are several, and says so. */
export function findingOf(shown: Shown): string {
  const first = shown.cells[0]?.fi ?? 0
  const known = shown.cells.filter((c) => c.fi === first && c.spread.mean !== null)
  const where = shown.facet && known.length ? ` (${said(shown.facet, first)})` : ''
  return `${sentenceOf(known, shown)}${where}`
}

function sentenceOf(known: readonly Cell[], { measure, x, series, differences }: Shown): string {
  if (!known.length) return `${sentence(measure.title)}: nothing measured yet`
  if (series && new Set(known.map((c) => c.si)).size > 1)
    return compared(known, measure, x, series, differences)
  if (x && known.length > 1)
    return x.numeric ? trend(known, measure, x) : compared(turned(known), measure, null, x, differences)
  const only = known[0]
  return only ? `${sentence(measure.title)}: ${average(only, measure)}` : ''
}

const turned = (cells: readonly Cell[]): Cell[] => cells.map((c) => ({ ...c, si: c.xi, xi: 0 }))

function average({ spread: s }: Cell, measure: Measure): string {
  const half = s.ci95_high === null || s.mean === null ? null : s.ci95_high - s.mean
  const [value, range] = spread(s.mean ?? NaN, half, measure)
  return `${value}${range ? ` ± ${range}` : ''}${measure.unit ? ` ${measure.unit}` : ''} over ${s.n} runs`
}

interface Gap {
  best: Cell
  worst: Cell
  relative: number
}

/** Where two series are furthest apart, among the places where they clearly are. */
function compared(
  cells: readonly Cell[],
  measure: Measure,
  x: Dimension | null,
  series: Dimension,
  differences: readonly SweepDifference[],
): string {
  const places = [...new Set(cells.map((c) => c.xi))]
  let found: Gap | null = null
  for (const at of places) {
    const here = cells.filter((c) => c.xi === at).toSorted((a, b) => mean(a) - mean(b))
    const [low, high] = [here[0], here.at(-1)]
    if (!low || !high || low === high || !apart(low, high, differences, measure.name)) continue
    const [best, worst] = measure.better === 'more' ? [high, low] : [low, high]
    const relative = Math.abs(mean(high) - mean(low)) / (Math.abs(mean(worst)) || Infinity)
    if (!found || relative > found.relative) found = { best, worst, relative }
  }
  if (!found) return undecided(cells, measure, series)
  const { best, worst, relative } = found
  const where = x ? `${AMID[x.key] ?? 'At'} ${said(x, best.xi)}, ` : ''
  const [a, b] = [said(series, best.si), said(series, worst.si)]
  const percent = Math.round(relative * 100)
  // Next to nothing is not "100 % fewer".
  const little = percent === 100 && mean(best) > 0 && mean(best) < mean(worst)
  if (measure.unit === '%' || percent < 1 || little || mean(worst) === 0 || percent > 500)
    return sentence(`${where}${a} has ${amount(best, measure)}, ${b} ${say(mean(worst), measure)}`)
  return sentence(`${where}${a} has ${bySo(percent, measure)} than ${b}`)
}

function bySo(percent: number, { better, counted, unit, title }: Measure): string {
  const more = better === 'more'
  if (counted) return `${percent} % ${more ? 'more' : 'fewer'} ${title}`
  const word = unit === 's' ? (more ? 'longer' : 'shorter') : more ? 'higher' : 'lower'
  return `a ${percent} % ${word} ${title}`
}

const amount = (cell: Cell, measure: Measure): string =>
  measure.counted
    ? `${say(mean(cell), measure)} ${measure.title}`
    : `a ${measure.title} of ${say(mean(cell), measure)}`

function undecided(cells: readonly Cell[], measure: Measure, series: Dimension): string {
  const together = cells.some((c) => cells.some((o) => o.xi === c.xi && o.si !== c.si))
  if (!together || cells.some((c) => c.spread.n < 2))
    return `${sentence(measure.title)}: too few runs to tell yet`
  const names = [...new Set(cells.map((c) => c.si))].map((i) => series.names[i] ?? '')
  const who =
    names.length === 2 ? `between ${names.join(' and ')}` : `among ${names.length} ${plural(series)}`
  return `No clear difference ${who} in ${measure.title}`
}

const plural = ({ key, title }: Dimension): string =>
  isWhole(key) ? `${title.toLowerCase()}s` : `values of ${title.toLowerCase()}`

/** One is at a value, but on a network. */
const AMID: Record<string, string> = { topology: 'On', radio: 'With', protocol: 'With' }

/** Without an interval there is nothing to tell by. */
const few = ({ spread: s }: Cell): boolean => s.n < 2 || s.ci95_low === null || s.ci95_high === null

const mean = (cell: Cell): number => cell.spread.mean ?? 0

/** Paired differences decide where there are some; else the intervals of the means must not touch. */
function apart(a: Cell, b: Cell, differences: readonly SweepDifference[], metric: string): boolean {
  if (a.spread.n < 2 || b.spread.n < 2) return false
  const pair = differences.find(
    (d) =>
      d.metric === metric &&
      ((d.point_a === a.point && d.point_b === b.point) || (d.point_a === b.point && d.point_b === a.point)),
  )
  if (pair && pair.ci95_low !== null && pair.ci95_high !== null)
    return pair.ci95_low > 0 || pair.ci95_high < 0
  return beyond(a, b)
}

/** Even from one end of the intervals to the other it is next to nothing. */
function alike(cells: readonly Cell[]): boolean {
  const low = Math.min(...cells.map((c) => c.spread.ci95_low ?? -Infinity))
  const high = Math.max(...cells.map((c) => c.spread.ci95_high ?? Infinity))
  return high - low <= 0.1 * Math.max(...cells.map((c) => Math.abs(mean(c))))
}

const beyond = (low: Cell, high: Cell): boolean =>
  (low.spread.ci95_high ?? Infinity) < (high.spread.ci95_low ?? -Infinity)

/** How one line goes along numbers. */
function trend(cells: readonly Cell[], measure: Measure, x: Dimension): string {
  const along = cells.toSorted((a, b) => (Number(x.values[a.xi]) || 0) - (Number(x.values[b.xi]) || 0))
  const [first, last] = [along[0], along.at(-1)]
  if (!first || !last) return sentence(measure.title)
  const name = sentence(measure.title)
  const verb = (s: string): string => (measure.counted ? s : `${s}s`)
  const by = x.title.toLowerCase()
  const sorted = along.toSorted((a, b) => mean(a) - mean(b))
  for (const [extreme, word] of [
    [sorted[0], 'lowest'],
    [sorted.at(-1), 'highest'],
  ] as const) {
    if (!extreme || extreme === first || extreme === last) continue
    const clear = [first, last].every((end) =>
      word === 'lowest' ? beyond(extreme, end) : beyond(end, extreme),
    )
    if (clear)
      return `${name} ${measure.counted ? 'are' : 'is'} ${word} at ${said(x, extreme.xi)}: ${say(mean(extreme), measure)}`
  }
  const range = `as ${by} grows from ${x.names[first.xi]} to ${x.names[last.xi]}`
  if (!beyond(first, last) && !beyond(last, first)) {
    if (along.some(few)) return `${name}: too few runs to tell yet`
    if (!alike([first, last])) return `No clear change in ${measure.title} ${range}`
    return `${name} hardly ${verb('change')} ${range}`
  }
  const way = mean(last) < mean(first) ? verb('fall') : measure.counted ? 'rise' : 'rises'
  return `${name} ${way} from ${say(mean(first), measure)} to ${say(mean(last), measure)} ${range}`
}

/** Under the finding: what does not vary, and how to read the chart. */
export function caption(parts: {
  base: string
  held: readonly string[]
  chart: string
  dots: boolean
}): string {
  const how: Record<string, string> = {
    lines: 'Band: 95 % CI of the mean.',
    box: 'Box: middle half and median; whiskers: 5 and 95 %.',
    histogram: 'How many runs came to what.',
    ecdf: 'Share of runs that came to no more.',
    heat: 'Colour: the mean.',
  }
  const first = [parts.base, ...parts.held].filter(Boolean).join(', ')
  const end = parts.dots ? 'Each dot is a run you can open.' : ''
  return [first && `${sentence(first)}.`, how[parts.chart], end].filter(Boolean).join(' ')
}
