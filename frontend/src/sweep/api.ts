/** The HTTP API of sweeps. */
import { json, part, post } from '../api'
import type {
  Job,
  SweepDots,
  SweepEstimate,
  SweepFailure,
  SweepGone,
  SweepNetwork,
  SweepRun,
  SweepSummary,
} from '../wire.gen'
import type { SweepDocument } from './document'

const at = (id: string, rest = ''): string => `/api/sweeps/${part(id)}${rest}`

export const FILES = ['rows.csv', 'rows.parquet', 'summary.csv'] as const

export const sweepsApi = {
  estimate: (document: SweepDocument, signal: AbortSignal) =>
    json<SweepEstimate>('/api/sweeps/estimate', { ...post(document), signal }),
  start: (document: SweepDocument) => json<Job>('/api/sweeps', post(document)),
  all: () => json<Job[]>('/api/sweeps'),
  job: (id: string) => json<Job>(at(id)),
  cancel: (id: string) => json<Job>(at(id, '/cancel'), { method: 'POST' }),
  resume: (id: string) => json<Job>(at(id, '/resume'), { method: 'POST' }),
  remove: (id: string) => json<SweepGone>(at(id), { method: 'DELETE' }),
  document: (id: string) => json<unknown>(at(id, '/document')),
  summary: (id: string) => json<SweepSummary>(at(id, '/summary')),
  dots: (id: string, metric: string, limit: number) =>
    json<SweepDots>(at(id, `/dots?metric=${part(metric)}&limit=${limit}`)),
  run: (id: string, run: number) => json<SweepRun>(at(id, `/runs/${run}`)),
  network: (id: string, run: number, signal: AbortSignal) =>
    json<SweepNetwork>(at(id, `/runs/${run}/network`), { signal }),
  failures: (id: string) => json<SweepFailure[]>(at(id, '/failures?limit=20')),
  file: at,
  live: (id: string): string =>
    `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}${at(id, '/live')}`,
}
