/** A sweep that runs or has run: its state, what it has come to so far, how it is looked at, and the run picked out of it. */
import { ApiError, api, asProblem } from '../api'
import type { Schema } from '../schema'
import type {
  Job,
  Problem,
  Protocol,
  SweepDots,
  SweepFailure,
  SweepNetwork,
  SweepRun,
  SweepSummary,
} from '../wire.gen'
import { sweepsApi } from './api'
import { asSweep } from './document'
import type { SweepDocument } from './document'
import { fieldsToVary, titled } from './fields'
import { measureOf, usualMeasures } from './measures'
import { dimensionsOf } from './dimensions'
import { cellsOf, firstSummary, firstView, rolesOf } from './results'
import type { View } from './results'
import { readView, writeView } from './viewhash'

/** More are thinned by the server. */
export const MOST_DOTS = 5000
const RETRY_MS = [500, 1000, 2000, 4000, 8000]
const GONE = 4004
/** Networks of runs that are kept, for whoever walks back and forth. */
const MOST_NETWORKS = 200

export class Result {
  job = $state.raw<Job | null>(null)
  document = $state.raw<SweepDocument | null>(null)
  summary = $state.raw<SweepSummary | null>(null)
  dots = $state.raw<SweepDots | null>(null)
  failures = $state.raw<SweepFailure[]>([])
  /** The sweep cannot be shown at all. */
  problem = $state.raw<Problem | null>(null)
  missing = $state(false)
  /** What was asked for was refused. */
  refused = $state.raw<Problem | null>(null)
  /** The server does not answer: what was drawn stays. */
  away = $state(false)
  view = $state.raw<View | null>(null)
  selected = $state<number | null>(null)
  /** The selected run; while it is on its way, the one before. */
  run = $state.raw<SweepRun | null>(null)
  /** By run: they never change. */
  readonly networks = new Map<number, SweepNetwork>()
  private protocols = $state.raw<Protocol[]>([])
  private schema = $state.raw<Schema | null>(null)

  private socket: WebSocket | null = null
  private tries = 0
  private timer: ReturnType<typeof setTimeout> | undefined
  private closed = false
  private shownVersion = -1
  private fetching = false
  private dotsOf = ''

  readonly ended = $derived(this.job !== null && ['done', 'failed', 'cancelled'].includes(this.job.state))
  readonly protocol = $derived(
    this.protocols.find((p) => p.name === this.document?.base.protocol.name) ?? null,
  )
  private readonly fields = $derived(
    this.document && this.schema ? fieldsToVary(this.document.base, this.schema, this.protocols) : [],
  )
  readonly dims = $derived(dimensionsOf(this.document?.axes ?? [], (path) => titled(path, this.fields)))
  readonly metrics = $derived.by(() => {
    const there = Object.keys(this.summary?.points[0]?.metrics ?? {})
    const wanted = this.document?.metrics.length ? this.document.metrics : usualMeasures(this.protocol)
    return there.length
      ? [...wanted.filter((m) => there.includes(m)), ...there.filter((m) => !wanted.includes(m))]
      : wanted
  })
  readonly measure = $derived(measureOf(this.view?.metric ?? '', this.protocol))
  /** The server's, or what the first runs alone come to. */
  readonly told = $derived.by(() => {
    if (this.summary?.points.length || !this.dots?.run.length) return this.summary
    return firstSummary(this.dots, this.dims, this.dotsOf)
  })
  readonly cells = $derived(this.told && this.view ? cellsOf(this.told, this.dims, this.view) : [])
  readonly roles = $derived(this.view ? rolesOf(this.view) : { x: '', series: '', facet: '' })

  constructor(readonly id: string) {
    void this.load()
  }

  /** The axis of this path. */
  dim(key: string) {
    return this.dims.find((d) => d.key === key) ?? null
  }

  title(path: string): string {
    return titled(path, this.fields).title
  }

  private async load(): Promise<void> {
    try {
      const [protocols, schema, job, document] = await Promise.all([
        api.protocols(),
        api.schema('scenario'),
        sweepsApi.job(this.id),
        sweepsApi.document(this.id),
      ])
      if (this.closed) return
      ;[this.protocols, this.schema, this.job] = [protocols, schema, job]
      this.document = asSweep(document)
      this.away = false
      this.problem = null
      this.follow()
      await this.refresh()
    } catch (error) {
      if (this.closed) return
      this.missing = error instanceof ApiError && error.status === 404
      const silent = error instanceof ApiError && (error.status === 0 || error.status >= 502)
      this.away = silent
      if (!silent) this.problem = asProblem(error)
      else this.again(() => void this.load())
    }
  }

  private again(what: () => void): void {
    clearTimeout(this.timer)
    if (!this.closed) this.timer = setTimeout(what, RETRY_MS[Math.min(this.tries++, RETRY_MS.length - 1)])
  }

  /** At once, instead of when the next try is due. */
  retry(): void {
    this.tries = 0
    if (this.document) this.follow()
    else void this.load()
  }

  /** Listens to how it goes on. */
  private follow(): void {
    clearTimeout(this.timer)
    this.socket?.close()
    const socket = (this.socket = new WebSocket(sweepsApi.live(this.id)))
    socket.addEventListener('message', (e) => {
      if (socket !== this.socket || typeof e.data !== 'string') return
      this.tries = 0
      this.away = false
      this.heard(JSON.parse(e.data) as Job)
    })
    socket.addEventListener('close', (e) => {
      if (socket !== this.socket || this.closed) return
      this.socket = null
      if (e.code === GONE) {
        this.missing = true
        this.problem = { path: '', value: '', allowed: '', message: 'this sweep was deleted' }
      } else if (!this.ended) {
        // The first try comes before anybody notices.
        this.away = this.tries > 0
        this.again(() => this.follow())
      }
    })
  }

  private heard(job: Job): void {
    this.job = job
    // Before there is a summary, and when none will come any more, the runs that are done are drawn all the same.
    const last = !this.summary?.points.length || this.ended
    const more = job.done > (this.dots?.of ?? 0)
    if (job.summary_version !== this.shownVersion || (last && more)) void this.refresh()
  }

  /** Fetches what is new; while that is on its way, what comes then is fetched afterwards. */
  private async refresh(): Promise<void> {
    if (this.fetching || this.closed || !this.job) return
    this.fetching = true
    const version = this.job.summary_version
    try {
      const summary = await sweepsApi.summary(this.id)
      if (this.closed) return
      this.summary = summary
      this.shownVersion = version
      if (!this.view && this.document) this.firstLook(this.document)
      if (this.job.failed) this.failures = await sweepsApi.failures(this.id)
      await this.fetchDots()
    } catch {
      this.shownVersion = -1
      // While the socket is away, its return brings this back; else it has to be tried again.
      if (this.socket || this.ended) this.again(() => void this.refresh())
    } finally {
      this.fetching = false
    }
    if (this.job.summary_version !== version && this.shownVersion >= 0) void this.refresh()
  }

  private firstLook(document: SweepDocument): void {
    const { view, run } = readView(
      location.hash,
      firstView(document, this.dims, this.metrics),
      this.dims,
      this.metrics,
    )
    this.view = view
    if (run !== null) void this.select(run)
  }

  private async fetchDots(): Promise<void> {
    const metric = this.view?.metric
    if (!metric || !this.job?.done) return
    const dots = await sweepsApi.dots(this.id, metric, MOST_DOTS)
    if (this.closed || metric !== this.view?.metric) return
    this.dotsOf = metric
    this.dots = dots
  }

  look(change: Partial<View>): void {
    if (!this.view) return
    this.view = { ...this.view, ...change }
    this.write()
    if (this.view.metric !== this.dotsOf) {
      this.dots = null
      this.fetchDots().catch((error: unknown) => (this.refused = asProblem(error)))
    }
  }

  async select(run: number | null): Promise<void> {
    if (run === this.selected) return
    this.selected = run
    this.write()
    if (run === null) {
      this.run = null
      return
    }
    try {
      const found = await sweepsApi.run(this.id, run)
      if (this.selected === run) this.run = found
    } catch (error) {
      if (this.selected !== run) return
      this.refused = asProblem(error)
      this.selected = this.run = null
      this.write()
    }
  }

  /** The network that a run starts on. Throws what the server says against it. */
  async network(run: number, signal: AbortSignal): Promise<SweepNetwork> {
    const found = await sweepsApi.network(this.id, run, signal)
    const [oldest] = this.networks.keys()
    if (this.networks.size >= MOST_NETWORKS && oldest !== undefined) this.networks.delete(oldest)
    this.networks.set(run, found)
    return found
  }

  /** The address tells how the result is looked at. */
  private write(): void {
    if (!this.view || !this.document || this.closed) return
    const first = firstView(this.document, this.dims, this.metrics)
    const hash = writeView(this.view, first, this.dims, this.selected)
    history.replaceState(null, '', `${location.pathname}${hash ? `#${hash}` : ''}`)
  }

  async cancel(): Promise<void> {
    await this.ask(sweepsApi.cancel(this.id))
  }

  async resume(): Promise<void> {
    await this.ask(sweepsApi.resume(this.id))
    if (!this.ended) this.follow()
  }

  private async ask(answer: Promise<Job>): Promise<void> {
    this.refused = null
    try {
      this.heard(await answer)
    } catch (error) {
      this.refused = asProblem(error)
    }
  }

  /** The same sweep with twice the seeds: its id, or null where that is refused. */
  async moreSeeds(): Promise<string | null> {
    if (!this.document) return null
    this.refused = null
    try {
      return (await sweepsApi.start({ ...this.document, repetitions: 2 * this.document.repetitions })).id
    } catch (error) {
      this.refused = asProblem(error)
      return null
    }
  }

  close(): void {
    this.closed = true
    clearTimeout(this.timer)
    this.socket?.close()
    this.socket = null
  }
}
