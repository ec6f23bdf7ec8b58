// Written by tools/gen_wire.py from the models in backend/. Do not edit.
/* eslint-disable */

/** A built-in network, written out. */
export interface BuiltinNetwork {
  name: string;
  title: string;
  /** of kind `explicit`, ready for a scenario document */
  topology: Record<string, unknown>;
  facts: NetworkFacts;
}

/** The server is about to close the connection. */
export interface Bye {
  type: 'bye';
  message: string;
  /** the close code that follows */
  code: number;
}

/** A built-in network. */
export interface CatalogueEntry {
  name: string;
  title: string;
  summary: string;
  nodes: number;
  /** at the default range, where links follow from one */
  links: number;
  /** connected parts */
  components: number;
  source: string;
  licence: string;
  /** default range, for networks that have positions only */
  range_m: number | null;
}

/** Parameters that will not do what one might expect. */
export interface Caution {
  text: string;
  /** names of those it speaks of, in that order */
  params: string[];
}

/** A scenario that can be run. */
export interface Checked {
  ok: true;
  nodes: number;
  links: number;
  events: number;
}

/** One value of a parameter that is chosen from a list. */
export interface Choice {
  value: string;
  title: string;
}

/** A scenario event without `t`: takes effect now and is appended to the document. */
export interface Command {
  type: 'command';
  /** chosen by the browser, repeated in the answer */
  ref: number;
  event: Record<string, unknown>;
}

/** A new session. Whoever holds the token controls it. */
export interface Created {
  id: string;
  token: string;
  /** path of the WebSocket */
  ws: string;
  /** what a viewer should know first, in words */
  note: string | null;
}

/** One variable of a layer's state, per node. */
export interface DeclaredField {
  name: string;
  /** further indices: slot (a neighbour), pos (an own ring position), channel, … */
  axes: string[];
  /** int, hops, position, node, flag, seconds, slot or input */
  kind: string;
  label: string;
  unit: string;
  lo: number;
  /** a number, or the name of a bound that depends on the network */
  hi: number | string;
  corruptible: boolean;
}

/** One layer of the stack. */
export interface DeclaredLayer {
  name: string;
  title: string;
  summary: string;
  fields: DeclaredField[];
}

/** One kind of message; `kind` in state frames counts through these in order. */
export interface DeclaredMessage {
  name: string;
  shape: 'publication' | 'subscription' | 'structure' | 'local';
  doc: string;
  /** the overlay a broadcast is meant for; empty: every neighbour */
  over: string;
  fields: string[];
}

/** One delivery. */
export interface Delivered {
  t: number;
  hops: number;
}

/** The command with this `ref` was applied. */
export interface Done {
  type: 'done';
  ref: number;
  /** place in the document's events; after `undo`, the place it had */
  index: number;
}

/** Body of every answer that is a refusal. */
export interface ErrorBody {
  error: Problem;
}

/** Something asked for was refused. */
export interface ErrorMessage {
  type: 'error';
  ref: number | null;
  path: string;
  value: string;
  allowed: string;
  message: string;
}

/** A command took effect: one of the document, or one that the workload or an event of it stands for. */
export interface EventMessage {
  type: 'event';
  /** place in the document's events; null: the workload */
  index: number | null;
  event: Record<string, unknown>;
  /** event: written out of the storm or loss burst at `index`, and no event of the document itself */
  by: 'owner' | 'scenario' | 'event' | 'workload';
}

/** A scenario to start from. */
export interface Example {
  name: string;
  title: string;
  summary: string;
}

/** One value of a layer, in words. */
export interface Fact {
  label: string;
  value: string;
  wrong: boolean;
  help: string;
}

/** A share link's fragment. */
export interface FragmentBody {
  /** a share link's part after `#`, with or without the `#` */
  fragment: string;
}

/** The server is up. */
export interface Health {
  ok: true;
  /** of the engine */
  version: string;
  /** in memory */
  sessions: number;
  viewers: number;
  uptime_s: number;
}

/** Must come first. The owner's token makes an owner, none a watcher. */
export interface Hello {
  type: 'hello';
  /** the version of this protocol, 1 */
  v: number;
  token?: string | null;
}

/** The layers' curves so far, thinned to at most 2,000 samples; of samples merged the worst is kept. */
export interface History {
  type: 'history';
  t: number[];
  /** per layer: wrong variables at each t */
  wrong: number[][];
  /** per layer: legitimate since, without a break; null: it is not */
  since: (number | null)[];
  publications: Reached;
}

/** The selected node from inside. */
export interface Inspect {
  type: 'inspect';
  /** id */
  node: string;
  t: number;
  name: string;
  layers: LayerFacts[];
  table: Table | null;
  /** the node's latest log lines, newest last */
  messages: Line[];
}

/** A sweep on this server: what it is and how far it has got. */
export interface Job {
  /** a hash of the document: the same sweep, the same id */
  id: string;
  name: string;
  state: 'queued' | 'running' | 'done' | 'failed' | 'cancelled';
  /** when it was first asked for: ISO 8601, UTC */
  made: string;
  /** planned */
  runs: number;
  /** combinations of the axes' values, each of them run with every seed */
  points: number;
  /** runs finished, failed ones among them */
  done: number;
  /** runs that ended with an error, which is in their row */
  failed: number;
  /** runs a second, lately */
  per_s: number | null;
  /** seconds until the end, about */
  left_s: number | null;
  /** while running: what comes before the first runs, in words */
  doing: string | null;
  /** while queued: 1 is next */
  queue_place: number | null;
  /** in words: why it failed or was cancelled; while queued, what it waits for */
  reason: string | null;
  /** rises whenever GET …/summary has something new */
  summary_version: number;
  /** whether this browser may cancel, resume and delete it */
  yours: boolean;
}

/** What a node's layer holds. */
export interface LayerFacts {
  name: string;
  title: string;
  /** wrong variables of this node's layer */
  wrong: number;
  facts: Fact[];
}

/** One line of the event log. */
export interface Line {
  t: number;
  /** index, or -1 */
  node: number;
  kind: 'send' | 'receive' | 'deliver' | 'drop' | 'layer' | 'command' | 'publication';
  /** name of the message */
  message: string | null;
  text: string;
}

/** Lines of the event log, the most informative ones where there are too many. */
export interface Log {
  type: 'log';
  lines: Line[];
}

/** A network's size and shape. */
export interface NetworkFacts {
  nodes: number;
  links: number;
  /** sizes of the connected parts, largest first */
  components: number[];
  /** mean number of neighbours */
  degree: number;
  max_degree: number;
  /** longest shortest path of the largest part, in hops: a lower bound, often exact */
  diameter: number;
}

/** Where a new session starts from: exactly one of `scenario`, `link`, `example`. */
export interface NewSession {
  scenario?: Record<string, unknown> | null;
  link?: string | null;
  example?: string | null;
  /** start playing when the first viewer comes; default: true, false for a link */
  play?: boolean | null;
  /** first play a scenario or an example to this virtual time, as fast as it goes */
  from_s?: number | null;
  /** what the digest of a scenario or an example must be at its duration_s: `run.verified` tells */
  digest?: string | null;
}

/** One parameter: what a form needs. */
export interface Param {
  name: string;
  /** the layer it belongs to; empty: the protocol as a whole */
  layer: string;
  kind: 'int' | 'float' | 'choice' | 'node';
  default: unknown;
  title: string;
  help: string;
  lo: number;
  hi: number;
  unit: string;
  /** the paper's */
  symbol: string;
  choices: Choice[];
}

/** Hold virtual time. */
export interface Pause {
  type: 'pause';
}

/** Answered by `pong`. */
export interface Ping {
  type: 'ping';
  /** chosen by the browser, repeated in the answer */
  ref: number;
}

/** Let virtual time pass. */
export interface Play {
  type: 'play';
}

/** Answers `ping`. */
export interface Pong {
  type: 'pong';
  ref: number;
}

/** A refusal: where, what was found there, what is allowed, and the problem in words. */
export interface Problem {
  /** the place, such as `events[2].link` */
  path: string;
  /** what was found there, shortened, as JSON */
  value: string;
  /** what is allowed instead */
  allowed: string;
  /** the problem in words */
  message: string;
}

/** A protocol's declaration. */
export interface Protocol {
  name: string;
  title: string;
  summary: string;
  source: string;
  stabilises: boolean;
  /** whether the compiled engine can run it */
  compiled: boolean;
  /** events by which an application asks its node for something */
  services: ('subscribe' | 'unsubscribe' | 'publish')[];
  /** bottom up */
  layers: DeclaredLayer[];
  messages: DeclaredMessage[];
  params: Param[];
  /** structures to draw, and the fields they are read from */
  overlays: Record<string, Record<string, string>>;
}

/** A protocol's parameters, as far as they are given. */
export interface ProtocolAsked {
  params?: Record<string, unknown>;
}

/** A publication; sent when published and whenever it changed. */
export interface Publication {
  type: 'publication';
  id: string;
  /** what sends and deliveries in state frames call it */
  number: number;
  t: number;
  /** id of the publisher */
  node: string;
  channel: string;
  data: unknown;
  /** ids: subscribers alive and reachable when published */
  expected: string[];
  /** by id */
  delivered: Record<string, Delivered>;
  duplicates: number;
  messages: number;
  /** everybody expected got it */
  done: boolean;
}

/** What became of the latest publications, at most 2,000, in the order of their numbers. */
export interface Reached {
  /** number of the first one here */
  first: number;
  t: number[];
  /** how many should get it */
  expected: number[];
  /** how many of these did */
  reached: number[];
}

/** What followed the latest fault, power-on the first; lists by judged layer, null: not legitimate now. */
export interface Repair {
  /** of the fault */
  t: number;
  /** commands by what they do; empty: power-on */
  caused_by: Record<string, number>;
  /** from the fault until the layer was legitimate, to stay so */
  seconds: (number | null)[];
  /** the same in asynchronous rounds */
  rounds: (number | null)[];
}

/** Back to t = 0, every command kept: they take effect again as time passes. */
export interface Reset {
  type: 'reset';
}

/** A row of a table. */
export interface Row {
  cells: string[];
  wrong: boolean;
  /** the latest publication here used this entry */
  in_use: boolean;
}

/** How the run stands. */
export interface RunState {
  type: 'run';
  t: number;
  playing: boolean;
  /** asked for */
  speed: number;
  /** measured, virtual seconds a second; 0 while paused */
  achieved: number;
  /** 16 hexadecimal digits: a hash over every send, receipt, drop and delivery so far */
  digest: string;
  /** engine events so far */
  events: number;
  viewers: number;
  /** messages sent, by name */
  counts: Record<string, number>;
  /** messages lost, by reason */
  dropped: Record<string, number>;
  /** no more virtual time is left in this session */
  ended: boolean;
  /** the server is replaying the document up to this time */
  replaying: number | null;
  /** whether the digest at a link's or a sweep run's end was the expected one; null: not compared (yet) */
  verified: boolean | null;
  /** commands that `undo` can take back */
  undoable: number;
  repair: Repair;
  /** what parameters do, by themselves or to this network now, that one might not expect */
  warnings: string[];
}

/** Ask for `inspect` messages about this node, until another one is selected. */
export interface Select {
  type: 'select';
  /** id */
  node: string | null;
  /** whose routing table is wanted */
  channel?: string | null;
}

/** What anybody may know about a session. */
export interface SessionInfo {
  id: string;
  /** the document's name */
  name: string;
  protocol: string;
  nodes: number;
  t: number;
  digest: string;
  viewers: number;
  playing: boolean;
  /** on disk; a visit brings it back */
  parked: boolean;
}

/** The run so far as a share link. */
export interface SharedLink {
  fragment: string;
  length: number;
  /** path and fragment to append to the server's address */
  url_path: string;
  digest: string;
  end_s: number;
  engine: string;
  /** so long that a short link (POST /api/links) should be offered */
  short: boolean;
}

/** A short link, content-addressed and immutable. */
export interface ShortLink {
  hash: string;
  path: string;
  /** date, moved on each time the link is opened */
  kept_until: string;
}

/** What to stream besides publications and subscriptions in flight and what is lost of them. */
export interface Show {
  type: 'show';
  /** names: these in flight, and lost */
  messages: string[];
  /** what the radio loses of every message */
  losses?: boolean;
}

/** How fast virtual time passes. */
export interface Speed {
  type: 'speed';
  /** virtual seconds a second */
  value: number;
}

/** One engine event, or until every live node has ticked once more; pauses first. */
export interface Step {
  type: 'step';
  what: 'event' | 'round';
}

/** The fragment behind a short link. */
export interface StoredLink {
  fragment: string;
  kept_until: string;
}

/** Point b less point a, which differ in the compared axis only, paired by seed. */
export interface SweepDifference {
  point_a: number;
  point_b: number;
  metric: string;
  n: number;
  mean: number | null;
  ci95_low: number | null;
  ci95_high: number | null;
}

/** Single runs, as columns; evenly thinned, each point's median and worst run always among them. */
export interface SweepDots {
  run: number[];
  point: number[];
  seed: number[];
  value: number[];
  /** runs finished so far */
  of: number;
}

/** What a sweep would cost, from a few runs of it tried for a moment. */
export interface SweepEstimate {
  runs: number;
  points: number;
  /** of wall time, about; null: not known */
  seconds: number | null;
  disk_mb: number;
  /** how runs would be played: compiled, interpreted or routes */
  method: string;
  /** runs at a time */
  workers: number;
  /** what would be measured */
  metrics: string[];
  /** all that can be */
  measurable: string[];
  /** what to know before starting, in words */
  warnings: string[];
}

/** A run that ended with an error. */
export interface SweepFailure {
  run: number;
  point: number;
  seed: number;
  error: string;
}

/** A sweep that was deleted. */
export interface SweepGone {
  id: string;
}

/** The network that a run starts on, before any fault. */
export interface SweepNetwork {
  facts: NetworkFacts;
  /** of the tree, in hops; null: not known beforehand */
  depth: number | null;
  /** null: too large to be drawn small */
  picture: SweepPicture | null;
}

/** A network to be drawn small: nodes by their number. */
export interface SweepPicture {
  x: number[];
  /** grows downwards */
  y: number[];
  /** both ends of each link in turn */
  links: number[];
  /** in the tree once all layers are legitimate, -1: none; null: not known beforehand */
  parent: number[] | null;
  /** one of each connected part that has a tree */
  roots: number[];
}

/** One combination of the axes' values. */
export interface SweepPoint {
  point: number;
  /** by the path of the axis; whole objects as their label */
  values: Record<string, string | number | boolean | null>;
  metrics: Record<string, SweepSpread>;
}

/** One run, and the document that plays it again. */
export interface SweepRun {
  run: number;
  point: number;
  seed: number;
  /** by the path of the axis; whole objects as their label */
  values: Record<string, string | number | boolean | null>;
  metrics: Record<string, number | null>;
  method: string;
  /** at the document's end; null: the method keeps none */
  digest: string | null;
  error: string | null;
  /** virtual time of the worst moment; null: there is none */
  worst_s: number | null;
  /** what happened then */
  worst_why: string | null;
  /** a scenario document, to make a session from */
  document: Record<string, unknown>;
}

/** One metric over the runs of a point. */
export interface SweepSpread {
  /** runs that have a value */
  n: number;
  mean: number | null;
  sd: number | null;
  ci95_low: number | null;
  ci95_high: number | null;
  min: number | null;
  max: number | null;
  /** percentiles 0 to 100; null where values are few */
  q: number[] | null;
  /** number of the run in the middle */
  median_run: number | null;
  /** number of the run that is worst by this metric */
  worst_run: number | null;
}

/** What the finished runs come to so far. */
export interface SweepSummary {
  runs_done: number;
  runs_failed: number;
  points: SweepPoint[];
  differences: SweepDifference[];
  /** more points than are told here; summary.csv has all */
  truncated: boolean;
}

/** A node's routing table. */
export interface Table {
  title: string;
  columns: string[];
  rows: Row[];
  note: string;
}

/** Back to the moment before the latest command, which leaves the document. */
export interface Undo {
  type: 'undo';
  /** chosen by the browser, repeated in the answer */
  ref: number;
}

/** What a share link holds. */
export interface Unlinked {
  scenario: Record<string, unknown>;
  engine: string;
  digest: string | null;
  end_s: number | null;
  /** set when the link was made by another engine version */
  note: string | null;
}

/** A network file, read; of a scenario, the network it starts on. */
export interface UploadedNetwork {
  /** of kind `explicit`, ready for a scenario document */
  topology: Record<string, unknown>;
  facts: NetworkFacts;
  /** told by the content */
  format: string;
  /** what a reader should know about it */
  notes: string[];
  /** positions only: `topology.range_m` is an offer that can be changed */
  needs_range: boolean;
}

/** Everything a viewer needs to start; replaces whatever it knew. */
export interface Welcome {
  type: 'welcome';
  v: number;
  session: string;
  role: 'owner' | 'watcher';
  /** version */
  engine: string;
  /** the document so far */
  scenario: Record<string, unknown>;
  protocol: Protocol;
  /** names of the node columns, in the order of their ids */
  columns: string[];
  /** names of the judged layers, bottom up: the order of `history` and of flag bits */
  layers: string[];
  world: World;
  run: RunState;
  history: History;
  publications: Publication[];
  /** what the share link or the sweep's row promised */
  expected_digest: string | null;
  /** what a viewer should know about this session, in words */
  note: string | null;
}

/** The network, sent again with a new epoch when nodes or links are added or moved. */
export interface World {
  type: 'world';
  epoch: number;
  ids: string[];
  names: string[];
  /** drawing coordinates */
  x: number[];
  /** grows downwards */
  y: number[];
  /** indices: a0, b0, a1, b1, … */
  links: number[];
  /** index of the dedicated root, -1 for none */
  root: number;
  /** names by channel number */
  channels: string[];
  /** sizes of the connected parts of the document's network, largest first */
  components: number[];
  /** per link, there and back: the share of frames that get through, 0: not known; empty: of none */
  quality: number[];
}

export type ClientMessage =
  | Hello
  | Play
  | Pause
  | Reset
  | Speed
  | Step
  | Command
  | Undo
  | Select
  | Show
  | Ping;

export type ServerMessage =
  | Welcome
  | World
  | RunState
  | History
  | EventMessage
  | Publication
  | Log
  | Inspect
  | Done
  | ErrorMessage
  | Bye
  | Pong;

export const WIRE_VERSION = 1;
export const HEADER_BYTES = 32;
export const SECTION_HEADER_BYTES = 8;
export const FRAME = {
  FULL: 1,
  DELTA: 2,
} as const;
export const SECTION = {
  COLUMN_FULL: 1,
  COLUMN_CHANGES: 2,
  LINKS_FULL: 3,
  LINKS_CHANGES: 4,
  POSITIONS_FULL: 5,
  POSITIONS_CHANGES: 6,
  SENDS: 7,
  DROPS: 8,
  LEGITIMACY: 9,
  DELIVERIES: 10,
} as const;
export const CLOSE = {
  GOING_AWAY: 1001,
  UNSUPPORTED: 1003,
  POLICY: 1008,
  TOO_BIG: 1009,
  MISTAKE: 1011,
  RESTARTING: 1012,
  FULL: 1013,
  NO_HELLO: 4000,
  VERSION: 4001,
  TOKEN: 4003,
  UNKNOWN_SESSION: 4004,
  TOO_SLOW: 4008,
  GARBAGE: 4010,
} as const;
export const DROP_REASONS = ['loss', 'dead-link', 'dead-node', 'filtered', 'fading', 'collision', 'busy'] as const;
export const MIN_SPEED = 0.1;
export const MAX_SPEED = 100;
