/** A sweep that is being made: what varies, what is measured, how often; and what it would cost. */
import { api, asProblem } from '../api'
import { run } from '../run.svelte'
import type { Scenario } from '../scenario'
import type { Schema } from '../schema'
import type { CatalogueEntry, Job, Problem, Protocol, SweepEstimate } from '../wire.gen'
import { sweepsApi } from './api'
import { isZip, pathsOf, runsOf, valueAt } from './document'
import type { Axis, PlainAxis, SweepDocument } from './document'
import { fieldsToVary, isWhole, offer, titled } from './fields'
import type { Vary } from './fields'
import { measureOf, usualMeasures } from './measures'
import { question } from './question'

const REPETITIONS = 60
const SETTLED_MS = 400

class Draft {
  protocols = $state.raw<Protocol[]>([])
  private schema = $state.raw<Schema | null>(null)
  private networks = $state.raw<CatalogueEntry[]>([])
  /** The scenario of a sweep that is changed; null: the run on the page. */
  private own = $state.raw<Scenario | null>(null)
  /** Empty: the question that follows from the rest. */
  name = $state('')
  axes = $state.raw<Axis[]>([])
  compare = $state<string | null>(null)
  /** Empty: what suits the protocol. */
  metrics = $state.raw<string[]>([])
  repetitions = $state<number | null>(REPETITIONS)
  firstSeed = $state<number | null>(1)
  /** What a document may say besides. */
  private rest = $state.raw<Partial<SweepDocument>>({})
  /** Paths whose text is not understood, with the reason. */
  wrong = $state.raw<Record<string, string>>({})

  estimate = $state.raw<SweepEstimate | null>(null)
  /** What the server can measure of these protocols; empty: not asked yet. */
  measurable = $state.raw<string[]>([])
  /** What the server says against it. */
  problem = $state.raw<Problem | null>(null)
  asking = $state(false)
  starting = $state(false)
  private asked: AbortController | null = null

  readonly base = $derived(this.own ?? run.scenario)
  readonly protocol = $derived(
    this.protocols.find((p) => p.name === this.base?.protocol.name) ?? run.protocol,
  )
  readonly fields = $derived(
    this.base && this.schema ? fieldsToVary(this.base, this.schema, this.protocols, this.networks) : [],
  )
  private usual = $state.raw<string[]>([])
  readonly measured = $derived.by(() => {
    if (this.metrics.length) return this.metrics
    const usual = usualMeasures(this.protocol)
    // The most telling first, as far as the server keeps it.
    return this.usual.length
      ? [...usual.filter((m) => this.usual.includes(m)), ...this.usual.filter((m) => !usual.includes(m))]
      : usual
  })
  readonly asks = $derived(
    question(
      this.axes.map((axis) => this.titleOf(axis)),
      this.compare === null ? null : titled(this.compare, this.fields).title,
      measureOf(this.measured[0] ?? 'messages', this.protocol).title,
    ),
  )
  readonly document = $derived<SweepDocument | null>(
    this.base && {
      ...this.rest,
      version: 1,
      name: this.name.trim() || this.asks,
      base: this.base,
      axes: this.axes,
      repetitions: this.repetitions ?? 0,
      first_seed: this.firstSeed ?? 0,
      ...(this.compare === null ? {} : { compare: this.compare }),
      metrics: this.metrics,
    },
  )
  readonly runs = $derived(this.document ? runsOf(this.document) : 0)
  readonly ready = $derived(
    this.document !== null &&
      Object.keys(this.wrong).length === 0 &&
      (this.repetitions ?? 0) >= 1 &&
      (this.axes.length > 0 || (this.repetitions ?? 0) > 1),
  )

  async load(): Promise<void> {
    try {
      ;[this.protocols, this.schema, this.networks] = await Promise.all([
        api.protocols(),
        api.schema('scenario'),
        api.networks(),
      ])
    } catch (error) {
      this.problem = asProblem(error)
    }
  }

  field(path: string): Vary | undefined {
    return this.fields.find((field) => field.path === path)
  }

  titleOf(axis: Axis): string {
    const paths = isZip(axis) ? axis.zip.map((a) => a.path) : [axis.path]
    return paths.map((path) => titled(path, this.fields).title).join(' with ')
  }

  has(path: string): boolean {
    return pathsOf(this.axes).includes(path)
  }

  /** Varies a field as well, or no longer. */
  toggle(field: Vary): void {
    if (this.has(field.path)) return this.remove(field.path)
    this.axes = isWhole(field.path) ? [offer(field), ...this.axes] : [...this.axes, offer(field)]
    // What has names rather than numbers is usually what one wants to compare; networks have no nodes in common.
    if (this.compare === null && field.kind === 'options' && field.path !== 'topology')
      this.compare = field.path
  }

  remove(path: string): void {
    this.axes = this.axes.filter((axis) => (isZip(axis) ? axis.zip[0]?.path !== path : axis.path !== path))
    if (this.compare === path) this.compare = null
    this.understood(path)
  }

  change(axis: PlainAxis): void {
    this.axes = this.axes.map((old) => (!isZip(old) && old.path === axis.path ? axis : old))
    this.understood(axis.path)
  }

  misunderstood(path: string, reason: string): void {
    this.wrong = { ...this.wrong, [path]: reason }
  }

  private understood(path: string): void {
    const { [path]: _, ...others } = this.wrong
    this.wrong = others
  }

  measure(name: string): void {
    const now = this.measured
    const next = now.includes(name) ? now.filter((m) => m !== name) : [...now, name]
    if (next.length) this.metrics = next
  }

  /** Takes over a document, to be changed. */
  take(document: SweepDocument): void {
    const { version: _, name, base, axes, repetitions, first_seed, compare, metrics, ...rest } = document
    this.own = base
    this.name = name
    this.axes = axes
    this.compare = compare ?? null
    this.metrics = metrics
    this.repetitions = repetitions
    this.firstSeed = first_seed
    this.rest = rest
    this.wrong = {}
  }

  /** Starts again from the run on the page. */
  reset(): void {
    this.own = null
    this.rest = {}
    // Axes along what the run on the page does not have would lead nowhere.
    this.axes = this.axes.filter((axis) =>
      pathsOf([axis]).every((path) => this.field(path) ?? valueAt(run.scenario, path) !== undefined),
    )
    if (this.compare !== null && !this.has(this.compare)) this.compare = null
  }

  readonly ofThisRun = $derived(this.own === null)

  /** Asks what it would cost, once nothing has changed for a moment; returns what calls that off. */
  ask(document: SweepDocument): () => void {
    this.estimate = null
    this.problem = null
    this.asking = true
    const asked = (this.asked = new AbortController())
    const timer = setTimeout(() => void this.look(document, asked.signal), SETTLED_MS)
    return () => {
      clearTimeout(timer)
      asked.abort()
      if (this.asked === asked) this.asking = false
    }
  }

  private async look(document: SweepDocument, signal: AbortSignal): Promise<void> {
    try {
      const estimate = await sweepsApi.estimate(document, signal)
      if (signal.aborted) return
      this.estimate = estimate
      this.measurable = estimate.measurable
      this.usual = this.metrics.length ? this.usual : estimate.metrics
    } catch (error) {
      if (!signal.aborted) this.problem = asProblem(error)
    }
    if (!signal.aborted) this.asking = false
  }

  async start(): Promise<Job | null> {
    const { document } = this
    if (!document || !this.ready) return null
    this.starting = true
    this.problem = null
    try {
      return await sweepsApi.start(document)
    } catch (error) {
      this.problem = asProblem(error)
      return null
    } finally {
      this.starting = false
    }
  }
}

export const draft = new Draft()
