/** Moving from run to run with the keyboard: along x, up and down among the seeds of a point, and from series to series. */

export interface Stop {
  run: number
  x: number
  y: number
  s: number
  f: number
}

const KEYS = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End'] as const
export type WalkKey = (typeof KEYS)[number]
export const isWalkKey = (key: string): key is WalkKey => (KEYS as readonly string[]).includes(key)

/** The run that a key leads to from the selected one; null: there is none. */
export function walk(stops: readonly Stop[], selected: number | null, key: WalkKey): number | null {
  const from = stops.find((stop) => stop.run === selected)
  if (!from) return first(stops)
  switch (key) {
    case 'ArrowUp':
    case 'ArrowDown':
      return beside(stops, from, key === 'ArrowUp' ? 1 : -1)
    case 'ArrowLeft':
    case 'ArrowRight':
      return across(
        stops,
        from,
        (a) => a.x,
        key === 'ArrowRight' ? 1 : -1,
        (a) => a.s === from.s && a.f === from.f,
      )
    case 'PageUp':
    case 'PageDown': {
      const way = key === 'PageDown' ? 1 : -1
      return (
        across(
          stops,
          from,
          (a) => a.s,
          way,
          (a) => a.x === from.x && a.f === from.f,
        ) ??
        across(
          stops,
          from,
          (a) => a.f,
          way,
          () => true,
        )
      )
    }
    case 'Home':
    case 'End': {
      const own = stops.filter((a) => together(a, from)).toSorted(byValue)
      return (key === 'Home' ? own[0] : own.at(-1))?.run ?? null
    }
  }
}

const together = (a: Stop, b: Stop): boolean => a.x === b.x && a.s === b.s && a.f === b.f
/** Equal values in the order of the runs, so that none is passed over. */
const byValue = (a: Stop, b: Stop): number => a.y - b.y || a.run - b.run

const first = (stops: readonly Stop[]): number | null =>
  stops.toSorted((a, b) => a.f - b.f || a.s - b.s || a.x - b.x || byValue(b, a))[0]?.run ?? null

function beside(stops: readonly Stop[], from: Stop, way: 1 | -1): number | null {
  const own = stops.filter((a) => together(a, from)).toSorted(byValue)
  return own[own.findIndex((a) => a.run === from.run) + way]?.run ?? from.run
}

/** The next place in a direction, and there the run whose value is nearest. */
function across(
  stops: readonly Stop[],
  from: Stop,
  along: (a: Stop) => number,
  way: 1 | -1,
  fits: (a: Stop) => boolean,
): number | null {
  const ahead = stops.filter((a) => fits(a) && (along(a) - along(from)) * way > 0)
  if (!ahead.length) return null
  const nearest = ahead.reduce((a, b) =>
    Math.abs(along(b) - along(from)) < Math.abs(along(a) - along(from)) ? b : a,
  )
  return ahead
    .filter((a) => along(a) === along(nearest))
    .reduce((a, b) => (Math.abs(b.y - from.y) < Math.abs(a.y - from.y) ? b : a)).run
}
