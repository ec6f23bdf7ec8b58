/** The past in the words of the page: what the stopwatch measures, and what is marked on the score. */
import { marks, words } from './describe'
import { FLAG } from './model'
import type { Curves, Mark, State } from './model'
import type { ScenarioEvent } from './scenario'
import { Stopwatch } from './stopwatch'
import type { Cause } from './stopwatch'

/** Names and indices of the current world. */
export interface Names {
  name(id: string): string
  indexOf(id: string): number
}

export function causeOf(event: ScenarioEvent, names: Names): Cause {
  const { who, past, kind } = words(event, (id) => names.name(id))
  const t = event.t ?? 0
  const end = event.do === 'set-loss' && event.loss ? Infinity : event.duration_s && t + event.duration_s
  return { t, end, who, past, kind }
}

const byTime = (a: ScenarioEvent, b: ScenarioEvent): number => (a.t ?? 0) - (b.t ?? 0)

/** Goes through the run up to `until` again, after a jump in time. */
export function replayWatch(
  curves: Curves,
  events: readonly ScenarioEvent[],
  until: number,
  names: Names,
): Stopwatch {
  const watch = new Stopwatch()
  const causes = events
    .toSorted(byTime)
    .map((event) => causeOf(event, names))
    .filter(({ t }) => t <= until)
  let next = 0
  for (let i = 0; i < curves.size; i++) {
    const t = curves.t[i] ?? 0
    for (let cause = causes[next]; cause && cause.t <= t; cause = causes[++next]) watch.cause(cause)
    watch.sample(
      t,
      curves.wrong.some((w) => (w[i] ?? 0) > 0),
    )
  }
  for (const cause of causes.slice(next)) watch.cause(cause)
  return watch
}

export const marksUntil = (events: readonly ScenarioEvent[], until: number, names: Names): Mark[] =>
  marks(
    events.toSorted(byTime),
    (id) => names.name(id),
    (id) => names.indexOf(id),
    until,
  )

/**
 * Shows at once what an event that took effect means for its node; the frame that says so follows a moment later.
 *
 * A frame takes the server longer than the news of the event, and a click should be seen without delay.
 */
export function foresee(state: State, event: ScenarioEvent, names: Pick<Names, 'indexOf'>): void {
  if (event.do !== 'fail-node' && event.do !== 'restore-node') return
  const node = names.indexOf(event.node ?? '')
  if (node < 0) return
  const flags = state.flags[node] ?? 0
  state.flags[node] = event.do === 'fail-node' ? flags & ~FLAG.alive : flags | FLAG.alive
  state.version++
}
