/** From a dot to its run: played to just before its worst moment, and held to its digest. */
import { asProblem } from '../api'
import { clock, sentence } from '../format'
import { opening } from '../open.svelte'
import { asScenario } from '../scenario'
import type { SweepRun } from '../wire.gen'
import { sweepsApi } from './api'
import { place } from './place.svelte'
import type { Result } from './result.svelte'
import { nameOf } from './dimensions'

/** So long before the worst moment, to see it come, s. */
const BEFORE_S = 2

export async function openRun(result: Result, run: SweepRun): Promise<void> {
  result.refused = null
  const back = location.href
  try {
    await opening.beginAt(asScenario(run.document), Math.max(0, (run.worst_s ?? 0) - BEFORE_S), run.digest, {
      title: `Seed ${run.seed}${run.values ? ` of ${nameOf(run.values, result.dims)}` : ''}`,
      text:
        run.worst_s === null
          ? ''
          : `${sentence(run.worst_why ?? 'its worst moment')} at ${clock(run.worst_s, 2)}.`,
      label: 'Back to the sweep',
      run: () => {
        const { pathname, hash } = new URL(back)
        place.return(pathname + hash)
      },
    })
    place.toFreshRun()
  } catch (error) {
    result.refused = asProblem(error)
  }
}

/** The run in the middle of those with the same values. */
export async function openMedian(result: Result, point: number): Promise<void> {
  const metric = result.view?.metric ?? ''
  const median = result.told?.points.find((p) => p.point === point)?.metrics[metric]?.median_run
  if (median === null || median === undefined) return
  try {
    await openRun(result, await sweepsApi.run(result.id, median))
  } catch (error) {
    result.refused = asProblem(error)
  }
}
