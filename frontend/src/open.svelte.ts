/** From an address to a run: links, kept sessions, first visits, and new runs from the forms. */
import { ApiError, api, asProblem } from './api'
import { notices } from './notices.svelte'
import { run } from './run.svelte'
import { fits } from './scenario'
import type { Scenario, ScenarioEvent, Topology } from './scenario'
import { addressKey, keep, readAddress, readKept, readSweepPlace } from './url'
import type { Address } from './url'
import type { Created, NetworkFacts, NewSession, Problem, Protocol } from './wire.gen'

const FIRST_VISIT = 'first-visit'

/** What stands in the way of a run: a link that cannot be opened, or one from another version. */
export type Obstacle =
  | { kind: 'bad-link'; title: string; problem: Problem }
  | { kind: 'other-version'; made: string; here: string; note: string; fragment: string; address: Address }
  | { kind: 'unreachable'; problem: Problem }
  | { kind: 'gone'; message: string }

/** A run that another one took the place of. */
interface Left {
  id: string
  token: string
  playing: boolean
}

const MOST_LEFT = 10

class Opening {
  obstacle = $state.raw<Obstacle | null>(null)
  /** A session is being made. */
  busy = $state(false)
  /** Opened from a link whose run has not been changed since. */
  fromLink = $state(false)
  /** Runs to go back to, the latest last. */
  left = $state.raw<Left[]>([])
  /** The run that was gone back to played when it was left. */
  private resume = false

  /** Opens what the address says; without anything there, what this browser had open last, else the first visit. */
  async start(): Promise<void> {
    this.obstacle = null
    const address = readAddress(location.pathname, location.hash)
    const kept = readKept()
    if (address.kind === 'watch') {
      const own = kept?.id === address.session ? kept.token : null
      return this.connect({ id: address.session, token: own }, address)
    }
    // A reload resumes what runs already, be it from a link or not.
    if (kept && kept.from === addressKey(address)) return this.connect(kept, address)
    try {
      if (address.kind === 'link') await this.openLink(address.fragment, address)
      else if (address.kind === 'short') await this.openLink((await api.stored(address.id)).fragment, address)
      else await this.firstVisit()
    } catch (error) {
      this.fail(error, address)
    }
  }

  private fail(error: unknown, address: Address): void {
    const problem = asProblem(error)
    const away = error instanceof ApiError && (error.status === 0 || error.status >= 502)
    if (away) this.obstacle = { kind: 'unreachable', problem }
    else {
      const title = address.kind === 'none' ? 'No run could be started' : 'This link cannot be opened'
      this.obstacle = { kind: 'bad-link', title, problem }
    }
  }

  async firstVisit(): Promise<void> {
    clearAddress()
    this.take(await api.create({ example: FIRST_VISIT }), { kind: 'none' })
  }

  /** Opens a whole run from its link; one made by another engine asks first. */
  private async openLink(fragment: string, address: Address): Promise<void> {
    const { note, engine } = await api.unlink(fragment)
    if (note) {
      const here = (await api.health()).version
      this.obstacle = { kind: 'other-version', made: engine, here, note, fragment, address }
    } else await this.openAsIs(fragment, address)
  }

  async openAsIs(fragment: string, address: Address): Promise<void> {
    try {
      this.take(await api.create({ link: fragment }), address)
    } catch (error) {
      this.fail(error, address)
    }
  }

  /** The way on from any obstacle. */
  async startAfresh(): Promise<void> {
    this.obstacle = null
    keep(null)
    try {
      await this.firstVisit()
    } catch (error) {
      this.fail(error, { kind: 'none' })
    }
  }

  /**
   * A new run of a document; `said`: what changed, with the way back. Raises ApiError; the current run goes on until the
   * new one is there.
   */
  async begin(scenario: Scenario, said: { title: string; text: string } | null = null): Promise<void> {
    await this.replace({ scenario: { ...scenario } })
    if (said && this.left.length)
      notices.say(said.title, said.text, { label: 'Back to the run before', run: () => this.goBack() })
  }

  /** A run of a sweep: played to this moment, then on, and held to the digest it had there. Raises ApiError. */
  async beginAt(
    scenario: Scenario,
    from_s: number,
    digest: string | null,
    said: { title: string; text: string; label: string; run: () => void },
  ): Promise<void> {
    await this.replace({ scenario: { ...scenario }, from_s, digest, play: true })
    notices.say(said.title, said.text, said)
  }

  async example(name: string): Promise<void> {
    await this.replace({ example: name })
  }

  private async replace(asked: NewSession): Promise<void> {
    this.busy = true
    try {
      const left = run.token && { id: run.session, token: run.token, playing: run.state?.playing ?? false }
      const created = await api.create(asked)
      notices.withdraw()
      clearAddress()
      this.take(created, { kind: 'none' })
      if (left) this.left = [...this.left, left].slice(-MOST_LEFT)
    } finally {
      this.busy = false
    }
  }

  /** Back to the run that was open before this one, as it was left. */
  goBack(): void {
    const left = this.left.at(-1)
    if (!left) return
    this.left = this.left.slice(0, -1)
    this.resume = left.playing
    notices.withdraw()
    clearAddress()
    keep({ id: left.id, token: left.token, from: '' })
    this.connect(left, { kind: 'none' })
  }

  /** The run is there: one that was left playing goes on, for the server holds time while nobody watches. */
  arrived(): void {
    if (this.resume && run.owner) run.play()
    this.resume = false
  }

  /** A watcher's own copy of what he sees, at the same moment. */
  async fork(): Promise<void> {
    this.busy = true
    try {
      const { fragment } = await api.link(run.session)
      const created = await api.create({ link: fragment })
      clearAddress()
      this.take(created, { kind: 'none' })
      notices.say('This run is yours now', 'The one you watched goes on without you.')
    } catch (error) {
      notices.refuse('The run was not forked', asProblem(error))
    } finally {
      this.busy = false
    }
  }

  private take(created: Created, address: Address): void {
    keep({ id: created.id, token: created.token, from: addressKey(address) })
    this.connect({ id: created.id, token: created.token }, address)
    if (created.note) notices.say(created.note)
  }

  private connect(session: { id: string; token: string | null }, address: Address): void {
    this.obstacle = null
    this.fromLink = address.kind === 'link' || address.kind === 'short'
    run.open(session)
  }

  /** The run went its own way: the address no longer says what is on the page. */
  diverge(): void {
    if (!this.fromLink) return
    this.fromLink = false
    clearAddress()
    if (run.token) keep({ id: run.session, token: run.token, from: '' })
  }

  /** The session could not be taken up. */
  async lost(message: string): Promise<void> {
    const own = readKept()?.id === run.session
    run.close()
    if (!own) {
      this.obstacle = { kind: 'gone', message }
      return
    }
    keep(null)
    await this.start()
    if (!this.obstacle) notices.say('Your earlier run is no longer kept', 'So here is a fresh one.')
  }
}

function clearAddress(): void {
  // Beside a sweep the run on the page has no address of its own.
  if (readSweepPlace(location.pathname)) return
  if (location.pathname !== '/' || location.hash) history.replaceState(null, '', '/')
}

export const opening = new Opening()

/** Another network under the same protocol; what was done to the old one does not fit the new one. */
export function withTopology(topology: Topology, name: string): Scenario {
  const before = run.scenario
  const nodes = new Set(run.protocol?.params.filter((p) => p.kind === 'node').map((p) => p.name))
  const params = Object.entries(before?.protocol.params ?? {}).filter(([key]) => !nodes.has(key))
  return {
    version: 1,
    name: name.slice(0, 100),
    seed: before?.seed ?? 1,
    topology,
    ...(before?.radio === undefined ? {} : { radio: before.radio }),
    protocol: { name: before?.protocol.name ?? 'psvr', params: Object.fromEntries(params) },
    duration_s: before?.duration_s ?? 120,
  }
}

/** The same network under another protocol, other parameters or another seed. */
export function withChange(
  change: Partial<Scenario>,
  keepEvents: boolean,
  protocol: Protocol | null = run.protocol,
): Scenario | null {
  if (!run.scenario) return null
  const events: ScenarioEvent[] = keepEvents ? (run.scenario.events ?? []) : []
  return { ...run.scenario, ...change, events: events.filter((event) => fits(event, protocol)) }
}

/** Networks from files. */
class Upload {
  busy = $state(false)
  problem = $state.raw<Problem | null>(null)
  file = $state('')
  network = $state.raw<{ topology: Topology; facts: NetworkFacts } | null>(null)

  clear(): void {
    this.problem = this.network = null
    this.file = ''
  }

  /** Reads a network file, or opens a scenario document at once. */
  async read(file: File): Promise<void> {
    this.clear()
    this.file = file.name
    this.busy = true
    try {
      const scenario = await scenarioIn(file)
      if (scenario) {
        await opening.begin(scenario)
        this.clear()
      } else {
        const { topology, facts } = await api.upload(file)
        this.network = { topology: topology as Topology, facts }
      }
    } catch (error) {
      this.problem = asProblem(error)
    } finally {
      this.busy = false
    }
  }
}

/** A scenario document is JSON with a protocol; everything else is for the server to make out. */
async function scenarioIn(file: File): Promise<Scenario | null> {
  if (!/json$/i.test(file.name) || file.size > 5_000_000) return null
  try {
    const value: unknown = JSON.parse(await file.text())
    const is = typeof value === 'object' && value !== null && 'protocol' in value && 'topology' in value
    return is ? (value as Scenario) : null
  } catch {
    return null
  }
}

export const upload = new Upload()
