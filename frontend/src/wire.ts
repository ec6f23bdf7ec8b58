/** The messages of docs/wire.md as the page uses them. */

export interface Declaration {
  name: string
  title: string
  summary: string
  source?: string
  layers: { name: string; title: string; summary: string }[]
  messages: { name: string; shape: string; doc: string }[]
  params: Param[]
}

/** One parameter of a protocol: what a form needs. */
export interface Param {
  name: string
  kind: 'int' | 'float' | 'choice' | 'node' | 'flag'
  default: ParamValue
  title: string
  help: string
  lo?: number | null
  hi?: number | null
  unit?: string
  symbol?: string
  choices?: { value: string; title: string }[]
}

export type ParamValue = string | number | boolean | null

/** A scenario event; the fields depend on `do`. */
export interface ScenarioEvent {
  do: string
  t?: number
  node?: string
  channel?: string
  data?: string
  link?: [string, string]
  oneway?: boolean
  loss?: number
  id?: string
  x?: number
  y?: number
  links?: string[]
  layer?: string
  field?: string
  value?: unknown
}

export interface Scenario {
  version: number
  name?: string
  seed?: number
  topology: { kind: string } & Record<string, unknown>
  radio?: Record<string, unknown>
  mobility?: Record<string, unknown>
  protocol: { name: string; params?: Record<string, ParamValue> }
  events?: ScenarioEvent[]
  duration_s?: number
}

export interface WorldMessage {
  type?: 'world'
  epoch: number
  ids: string[]
  names: string[]
  x: number[]
  y: number[]
  links: number[]
  root: number
  channels: string[]
  components: number[]
}

export interface RunMessage {
  type?: 'run'
  t: number
  playing: boolean
  speed: number
  achieved: number
  digest: string
  events: number
  viewers: number
  counts: Record<string, number>
  dropped: Record<string, number>
  ended: boolean
}

export interface HistoryMessage {
  type?: 'history'
  t: number[]
  wrong: number[][]
  since: (number | null)[]
}

export interface PublicationMessage {
  type?: 'publication'
  id: string
  number: number
  t: number
  node: string
  channel: string
  data?: unknown
  expected: string[]
  delivered: Record<string, { t: number; hops: number }>
  duplicates: number
  messages: number
  done: boolean
}

export interface Welcome {
  type: 'welcome'
  v: number
  session: string
  role: 'owner' | 'watcher'
  engine: string
  scenario: Scenario
  protocol: Declaration
  columns: string[]
  world: WorldMessage
  run: RunMessage
  history: HistoryMessage
  publications: PublicationMessage[]
  expected_digest: string | null
}

export interface EventMessage {
  type: 'event'
  index: number
  event: ScenarioEvent & { t: number }
  by: 'owner' | 'scenario'
}

export type LogKind = 'send' | 'deliver' | 'drop' | 'layer' | 'command' | 'publication'

export interface LogLine {
  t: number
  node: number
  kind: LogKind
  message: string | null
  text: string
}

export interface Fact {
  label: string
  value: string
  wrong: boolean
  help: string
}

export interface InspectTable {
  title: string
  columns: string[]
  rows: { cells: (string | number | null)[]; wrong: boolean; in_use: boolean }[]
  note: string
}

export interface InspectMessage {
  type: 'inspect'
  node: string
  t: number
  name: string
  layers: { name: string; wrong: number; facts: Fact[] }[]
  table: InspectTable | null
  messages: LogLine[]
}

export interface ErrorMessage {
  type: 'error'
  ref: number | null
  path: string | null
  value: unknown
  allowed: string | null
  message: string
}

export type FromServer =
  | Welcome
  | (WorldMessage & { type: 'world' })
  | (RunMessage & { type: 'run' })
  | (HistoryMessage & { type: 'history' })
  | EventMessage
  | (PublicationMessage & { type: 'publication' })
  | { type: 'log'; lines: LogLine[] }
  | InspectMessage
  | { type: 'done'; ref: number; index: number }
  | ErrorMessage
  | { type: 'bye'; message: string; code: string }
  | { type: 'pong'; ref: number }

export type ToServer =
  | { type: 'hello'; v: 1; token: string | null }
  | { type: 'play' }
  | { type: 'pause' }
  | { type: 'reset' }
  | { type: 'speed'; value: number }
  | { type: 'step'; what: 'event' | 'round' }
  | { type: 'command'; ref: number; event: ScenarioEvent }
  | { type: 'undo'; ref: number }
  | { type: 'select'; node: string | null; channel: string | null }
  | { type: 'show'; messages: string[] }
  | { type: 'ping'; ref: number }
