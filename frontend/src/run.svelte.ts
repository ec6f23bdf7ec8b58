/**
 * The run on the page.
 *
 * Two halves. `model` is what the pictures read: typed arrays that frames write into, some twenty times a second,
 * never reactive. The `$state` fields are small summaries, renewed at most ten times a second, that the panels show.
 */
import { api } from './api'
import { Asked } from './asked'
import type { Outcome } from './asked'
import { FrameError, addSample, apply, decode } from './frames'
import type { Model } from './frames'
import { clearFlights, createCurves, createFlights, createState } from './model'
import type { Mark, MessageKind, World } from './model'
import { withLines } from './log'
import { radioOf } from './radio'
import { ReplayClock } from './replay'
import { Reached } from './reached'
import type { Share } from './reached'
import { causeOf, foresee, marksUntil, replayWatch } from './review'
import { asEvent, asScenario } from './scenario'
import type { Scenario, ScenarioEvent } from './scenario'
import { Socket } from './socket'
import type { Link } from './socket'
import { Stopwatch } from './stopwatch'
import { summarise } from './summary'
import type { Summary } from './summary'
import { carryOver, emptyWorld, toWorld } from './world'
import type {
  Created,
  EventMessage,
  History,
  Inspect,
  Line,
  Problem,
  Protocol,
  Publication,
  RunState,
  ServerMessage,
  Welcome,
  World as WorldMessage,
} from './wire.gen'

/** What the pictures are told. */
export interface Viewer {
  world?(): void
  /** Curves or marks were replaced. */
  history?(): void
  marks?(): void
  /** Time went back: paths and deliveries are void. */
  forget?(): void
  deliver?(node: number, publication: number): void
}

export type Selection = { node: number } | { link: number } | null

const MOST_PUBLICATIONS = 60
const FLIGHTS = 24_000
const SUMMARY_MS = 100

export class Run {
  readonly model: Model = {
    world: emptyWorld,
    state: createState(0, 0),
    flights: createFlights(FLIGHTS),
    curves: createCurves([]),
    columns: [],
    frame: -1,
  }
  readonly clock = new ReplayClock(matchMedia('(prefers-reduced-motion: reduce)').matches)
  kinds: MessageKind[] = []
  marks: Mark[] = []
  readonly reached = new Reached()
  private watch = new Stopwatch()
  private readonly viewers = new Set<Viewer>()
  private socket: Socket | null = null
  private readonly asked = new Asked()
  private index = new Map<string, number>()
  private freshLines: Line[] = []
  private partsSince: (number | null)[] = []
  private lastSummary = 0
  private dirty = false
  /** When the event heard of last took effect: the frame that shows it may still be on its way. */
  private latestEvent = 0
  /** Marks are to be made anew with the next summary. */
  private stale = false

  link = $state.raw<Link>({ state: 'connecting' })
  welcomed = $state(false)
  session = $state('')
  token = $state<string | null>(null)
  role = $state<'owner' | 'watcher'>('owner')
  engine = $state('')
  note = $state<string | null>(null)
  expected = $state<string | null>(null)
  scenario = $state.raw<Scenario | null>(null)
  protocol = $state.raw<Protocol | null>(null)
  world = $state.raw<World>(emptyWorld)
  components = $state.raw<number[]>([])
  state = $state.raw<RunState | null>(null)
  summary = $state.raw<Summary | null>(null)
  /** Of the publications of the last minute, or why there is none. */
  share = $state.raw<Share | string>('no publication')
  log = $state.raw<Line[]>([])
  publications = $state.raw<Publication[]>([])
  inspect = $state.raw<Inspect | null>(null)
  selection = $state.raw<Selection>(null)
  hovered = $state.raw<Selection>(null)
  channel = $state<string | null>(null)
  /** The publication whose path is shown; null: the latest. */
  shownPublication = $state<number | null>(null)
  shown = $state.raw<string[]>([])
  losses = $state(false)
  /** Something was done here since the run was opened: it is no longer the one of the link. */
  diverged = $state(false)

  readonly owner = $derived(this.role === 'owner')
  readonly live = $derived(this.link.state === 'live')
  readonly node = $derived(this.selection && 'node' in this.selection ? this.selection.node : -1)

  /** Connects to a session; whatever ran before is let go. */
  open(session: Pick<Created, 'id'> & { token: string | null }): void {
    this.close()
    this.session = session.id
    this.token = session.token
    this.diverged = false
    const base = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}`
    this.socket = new Socket(`${base}/ws/${encodeURIComponent(session.id)}`, session.token, {
      welcome: (message) => this.welcome(message),
      message: (message) => this.receive(message),
      frame: (bytes) => this.frame(bytes),
      link: (link) => {
        this.link = link
        if (link.state !== 'live') this.asked.refuseAll()
      },
    })
  }

  close(): void {
    this.socket?.close()
    this.socket = null
    this.asked.refuseAll()
    this.welcomed = false
    this.selection = this.hovered = this.inspect = null
    this.channel = this.shownPublication = null
    this.shown = []
  }

  watchedBy(viewer: Viewer): () => void {
    this.viewers.add(viewer)
    if (this.welcomed) {
      viewer.world?.()
      viewer.history?.()
      viewer.marks?.()
    }
    return () => this.viewers.delete(viewer)
  }

  // ── What the user asks for ────────────────────────────────────────────────────────────────────

  play(): void {
    this.send({ type: 'play' })
  }
  pause(): void {
    this.send({ type: 'pause' })
  }
  toggle(): void {
    if (this.state?.playing) this.pause()
    else this.play()
  }
  step(what: 'event' | 'round'): void {
    this.send({ type: 'step', what })
  }
  speed(value: number): void {
    this.send({ type: 'speed', value })
  }
  reset(): void {
    this.send({ type: 'reset' })
  }
  retry(): void {
    this.socket?.now()
  }
  show(messages: string[]): void {
    this.shown = messages
    this.send({ type: 'show', messages, losses: this.losses })
  }
  /** Whether what the radio loses of beacons and the like is shown, too. */
  showLosses(losses: boolean): void {
    this.losses = losses
    this.show(this.shown)
  }

  /** A scenario event, applied at the current virtual time. */
  command(event: ScenarioEvent): Promise<Outcome> {
    return this.ask((ref) => ({ type: 'command', ref, event: { ...event } }))
  }

  async undo(): Promise<Outcome> {
    const outcome = await this.ask((ref) => ({ type: 'undo', ref }))
    if (outcome.ok) this.setEvents((this.scenario?.events ?? []).toSpliced(outcome.index, 1))
    return outcome
  }

  select(selection: Selection): void {
    this.selection = selection
    const id = selection && 'node' in selection ? (this.world.ids[selection.node] ?? null) : null
    if (this.inspect && this.inspect.node !== id) this.inspect = null
    this.send({ type: 'select', node: id, channel: this.channel })
  }

  chooseChannel(channel: string | null): void {
    this.channel = channel
    this.select(this.selection)
  }

  /** Whether the protocol lets an application ask its node for this. */
  offers(service: Protocol['services'][number]): boolean {
    return this.protocol?.services.includes(service) ?? false
  }

  /** Whether the protocol builds such an overlay: tree, ring, … */
  builds(overlay: string): boolean {
    return this.protocol?.overlays[overlay] !== undefined
  }

  /** The name of its messages of this shape, as the first of them is called; null: there are none. */
  messageOf(shape: MessageKind['shape']): string | null {
    return this.protocol?.messages.find((m) => m.shape === shape)?.name ?? null
  }

  name(id: string): string {
    return this.world.names[this.indexOf(id)] ?? id
  }

  indexOf(id: string): number {
    return this.index.get(id) ?? -1
  }

  /** The channel that commands mean when nothing else is chosen. */
  defaultChannel(): string {
    const planned = this.scenario?.events?.find((event) => event.channel !== undefined)?.channel
    return this.channel ?? this.world.channels[0] ?? planned ?? 'news'
  }

  private send(message: Parameters<Socket['send']>[0]): boolean {
    return this.socket?.send(message) ?? false
  }

  private ask(message: (ref: number) => Parameters<Socket['send']>[0]): Promise<Outcome> {
    return this.asked.ask((ref) => this.send(message(ref)))
  }

  /** Called with refusals that answer nothing in particular. */
  complain: (problem: Problem) => void = () => undefined

  // ── What the server says ──────────────────────────────────────────────────────────────────────

  private welcome(message: Welcome): void {
    const again = this.welcomed && this.session === message.session
    this.session = message.session
    this.role = message.role
    this.engine = message.engine
    this.note = message.note
    this.expected = message.expected_digest
    this.diverged = message.run.undoable > 0
    this.scenario = asScenario(message.scenario)
    this.protocol = message.protocol
    this.kinds = message.protocol.messages.map(({ name, shape }) => ({
      name,
      shape: shape === 'local' ? 'structure' : shape,
    }))
    this.model.columns = message.columns
    this.model.curves = createCurves(message.layers)
    clearFlights(this.model.flights)
    this.log = []
    this.freshLines = []
    this.publications = message.publications.slice(-MOST_PUBLICATIONS)
    this.setWorld(message.world, !again)
    this.setRun(message.run)
    this.clock.jump(message.run.t, now())
    this.history(message.history)
    this.welcomed = true
    for (const viewer of this.viewers) {
      viewer.forget?.()
      viewer.world?.()
      viewer.history?.()
      viewer.marks?.()
    }
    this.restoreDeliveries()
    if (this.selection || this.channel) this.select(this.selection)
    if (!again) this.losses = radioOf(this.scenario).kind !== 'ideal'
    if (this.shown.length || this.losses) this.show(this.shown)
    this.summarise()
  }

  /** A viewer who joins late sees where the latest publication has arrived. */
  private restoreDeliveries(): void {
    for (const publication of this.publications.slice(-1))
      for (const id of Object.keys(publication.delivered))
        this.delivered(this.indexOf(id), publication.number)
  }

  private delivered(node: number, publication: number): void {
    if (node >= 0) for (const viewer of this.viewers) viewer.deliver?.(node, publication)
  }

  private setWorld(message: WorldMessage, fresh: boolean): void {
    const selected = this.node >= 0 ? (this.world.ids[this.node] ?? null) : null
    const world = toWorld(message)
    this.index = new Map(message.ids.map((id, v) => [id, v]))
    this.model.world = world
    this.model.state = fresh ? createState(world.n, world.m) : carryOver(this.model.state, world.n, world.m)
    this.model.frame = -1
    this.world = world
    this.components = message.components
    if (selected !== null) {
      const node = this.indexOf(selected)
      this.selection = node < 0 ? null : { node }
    } else if (this.selection && 'link' in this.selection) this.selection = null
    this.hovered = null
  }

  private setRun(state: RunState): void {
    this.state = state
    this.clock.run(state.playing, state.speed)
  }

  private history(message: History): void {
    const { curves } = this.model
    curves.size = 0
    this.latestEvent = 0
    curves.since = curves.layers.map(() => null)
    this.partsSince = []
    const wrong = new Int32Array(curves.layers.length)
    message.t.forEach((t, i) => {
      for (let layer = 0; layer < wrong.length; layer++) wrong[layer] = message.wrong[layer]?.[i] ?? 0
      addSample(curves, t, wrong)
    })
    this.reached.restart(message.publications)
    message.since.forEach((since, layer) => (curves.since[layer] = since))
    this.review()
  }

  /** Goes through the past again: what the stopwatch measures, and what is marked on the score. */
  private review(): void {
    this.watch = replayWatch(this.model.curves, this.scenario?.events ?? [], this.state?.t ?? 0, this)
    this.remark()
  }

  private setEvents(events: ScenarioEvent[]): void {
    if (this.scenario) this.scenario = { ...this.scenario, events }
    this.review()
    this.dirty = true
  }

  private remark(): void {
    this.stale = false
    const until = Math.max(this.state?.t ?? 0, this.model.state.t, this.latestEvent)
    this.marks = marksUntil(this.scenario?.events ?? [], until, this)
    for (const viewer of this.viewers) viewer.marks?.()
  }

  private receive(message: ServerMessage): void {
    switch (message.type) {
      case 'run':
        if (message.t < this.model.state.t - 1e-9) this.backTo(message.t)
        return this.setRun(message)
      case 'world':
        this.setWorld(message, false)
        for (const viewer of this.viewers) viewer.world?.()
        return
      case 'history':
        return this.rewritten(message)
      case 'event':
        return this.happened(message)
      case 'publication':
        return this.published(message)
      case 'log':
        for (const line of message.lines) this.freshLines.push(line)
        this.dirty = true
        return
      case 'inspect':
        if (message.node === this.world.ids[this.node]) this.inspect = message
        return
      case 'done':
        this.asked.answer(message.ref, { ok: true, index: message.index })
        return
      case 'error': {
        const problem: Problem = { ...message }
        if (!this.asked.answer(message.ref, { ok: false, problem })) this.complain(problem)
        return
      }
      default:
    }
  }

  /** Time went back (reset, undo). */
  private backTo(t: number): void {
    this.model.state.t = t
    clearFlights(this.model.flights)
    this.clock.jump(t, now())
    this.log = this.log.filter((line) => line.t <= t)
    this.freshLines = []
    this.publications = this.publications.filter((publication) => publication.t <= t)
    for (const viewer of this.viewers) viewer.forget?.()
    this.restoreDeliveries()
  }

  private rewritten(message: History): void {
    const t = message.t.at(-1) ?? 0
    if (this.state && t < this.state.t) this.state = { ...this.state, t }
    this.backTo(this.state?.t ?? t)
    this.history(message)
    for (const viewer of this.viewers) viewer.history?.()
    // Who watches is not told which command was undone.
    if (!this.owner) void this.refetch()
    this.summarise()
  }

  private async refetch(): Promise<void> {
    const { session } = this
    const document = await api.scenario(session).catch(() => null)
    if (document && session === this.session) this.setEvents(asScenario(document).events ?? [])
  }

  private happened({ index, by, event: plain }: EventMessage): void {
    const events = [...(this.scenario?.events ?? [])]
    const event = asEvent(plain)
    if (by === 'owner' && index !== null) {
      events.splice(index, events[index] && same(events[index], event) ? 1 : 0, event)
      if (this.scenario) this.scenario = { ...this.scenario, events }
      this.diverged = true
    }
    foresee(this.model.state, event, this)
    this.watch.cause(causeOf(event, this))
    this.latestEvent = event.t ?? 0
    this.stale = this.dirty = true
  }

  private published(message: Publication): void {
    this.reached.note(message)
    const list = this.publications
    const at = list.findIndex((p) => p.number === message.number)
    if (at >= 0) this.publications = list.with(at, message)
    else this.publications = [...list, message].slice(-MOST_PUBLICATIONS)
  }

  private frame(bytes: ArrayBuffer): void {
    try {
      const frame = decode(bytes)
      apply(frame, this.model)
      if (frame.samples) this.watchSamples(frame.samples)
      const { deliveries } = frame
      deliveries?.node.forEach((node, i) => this.delivered(node, deliveries.publication[i] ?? -1))
      this.clock.reach(frame.t, now())
      this.dirty = true
    } catch (error) {
      if (!(error instanceof FrameError)) throw error
      this.socket?.restart(error.message)
    }
  }

  private watchSamples(samples: { layers: number; t: Float64Array; wrong: Int32Array }): void {
    const k = samples.t.length
    for (let i = 0; i < k; i++) {
      let wrong = false
      for (let layer = 0; layer < samples.layers; layer++) wrong ||= samples.wrong[layer * k + i] !== 0
      this.watch.sample(samples.t[i] ?? 0, wrong)
    }
  }

  // ── Summaries ─────────────────────────────────────────────────────────────────────────────────

  /** Called with every animation frame. Returns the virtual time to draw. */
  tick(wall: number): number {
    if (this.dirty && wall * 1000 - this.lastSummary >= SUMMARY_MS) {
      this.lastSummary = wall * 1000
      this.summarise()
    }
    return this.clock.tick(wall)
  }

  private summarise(): void {
    this.dirty = false
    if (this.stale) this.remark()
    this.share = this.reached.at(this.model.state.t) ?? this.reached.why(this.model.state.t)
    this.summary = summarise(this.model, this.protocol?.layers ?? [], this.partsSince, this.watch.read())
    if (this.freshLines.length) {
      this.log = withLines(this.log, this.freshLines)
      this.freshLines = []
    }
  }
}

const now = (): number => performance.now() / 1000

function same(a: ScenarioEvent, b: ScenarioEvent): boolean {
  return a.do === b.do && a.t === b.t && a.node === b.node && a.channel === b.channel
}

export const run = new Run()
