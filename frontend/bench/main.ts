/** The bench page: `?n=1000&messages=1000` for timing; `?data=URL` for looking at a real graph. */
import { RingView, ScoreView, TopologyView } from '../src/draw'
import { createCurves, FLAG, LINK, pushSample, type Mark } from '../src/model'
import { FakeRun, geometric, KINDS, type Graph } from './fake'

const query = new URLSearchParams(location.search)
const number = (name: string, otherwise: number): number => Number(query.get(name) ?? otherwise)
if (query.get('theme')) document.documentElement.dataset.theme = query.get('theme')!

async function graph(): Promise<Graph> {
  const url = query.get('data')
  if (!url) return geometric(number('n', 210), number('degree', 8), number('seed', 7))
  const d = (await (await fetch(url)).json()) as {
    names: string[]
    xy: number[]
    links: number[]
    root: number
  }
  const links: [number, number][] = []
  const quality: number[] = []
  for (let k = 0; k < d.links.length; k += 4) {
    links.push([d.links[k]!, d.links[k + 1]!])
    quality.push(d.links[k + 2]!)
  }
  // Weak links are excluded unless the network needs them to hold together.
  const up = d.names.map((_, v) => v)
  const top = (v: number): number => (up[v] === v ? v : (up[v] = top(up[v]!)))
  const excluded = links.map(() => false)
  const order = links.map((_, k) => k).sort((a, b) => quality[b]! - quality[a]!)
  for (const k of order) {
    const [a, b] = [top(links[k]![0]), top(links[k]![1])]
    excluded[k] = quality[k]! < 45 && a === b
    up[a] = b
  }
  return {
    names: d.names,
    x: d.names.map((_, v) => d.xy[2 * v]!),
    y: d.names.map((_, v) => d.xy[2 * v + 1]!),
    links,
    excluded,
    root: d.root,
  }
}

const $ = (id: string): HTMLElement => document.getElementById(id)!
const run = new FakeRun(await graph())
const phone = innerWidth <= 640
const lane = parseFloat(getComputedStyle(document.documentElement).getPropertyValue('--lane'))
const select = (node: number | null): void => {
  topology.select(node)
  ring.select(node)
}
const topology = new TopologyView($('topology'), {
  padding: phone ? { top: 24, right: 18, bottom: 24, left: 18 } : {},
  onPick: (hit) => {
    if (hit && 'link' in hit) topology.selectLink(hit.link)
    else select(hit ? hit.node : null)
  },
  onHover: (hit) => ring.hover(hit && 'node' in hit ? hit.node : null),
  onStep: select,
})
const ring = new RingView($('ring'), {
  onPick: (hit) => select(hit && 'node' in hit ? hit.node : null),
  onHover: (hit) => topology.hover(hit && 'node' in hit ? hit.node : null),
  onStep: select,
})
const score = new ScoreView($('score'), { laneHeight: lane, phone })
const curves = createCurves(['Neighbourhood', 'Tree', 'Ring', 'Pub/sub'])
const marks: Mark[] = []

/** Curves of a run that started from nothing, was corrupted, and has just been hit. */
function pastOf(now: number): void {
  const hump = (t: number, start: number, peak: number, at: number, end: number): number =>
    t < start || t > end
      ? 0
      : Math.round(t < at ? (peak * (t - start + 0.6)) / (at - start + 0.6) : (peak * (end - t)) / (end - at))
  for (let t = 0; t <= now; t += 0.1) {
    pushSample(curves, t, [
      hump(t, 0, 210, 0, 3) + hump(t, 81.2, 22, 81.3, 82.7),
      hump(t, 0, 210, 0, 5) + hump(t, 81.2, 22, 82.4, 84.2),
      hump(t, 0, 418, 0.5, 9) + hump(t, 81.2, 269, 84, 86),
      hump(t, 5, 800, 7, 14) + hump(t, 68, 144, 68, 74) + hump(t, 81.2, 511, 84, 87),
    ])
  }
  for (const t of [56.5, 66, 70.5, 75.8, 83.9])
    marks.push({ t, kind: 'publish', label: `p${marks.length + 7}`, node: 4 })
  for (let i = 0; i < 16; i++)
    marks.push({ t: 60 + i * 0.02, kind: 'subscribe', label: 'subscribes', node: i })
  marks.push({ t: 68, kind: 'corrupt', label: '12 tables corrupted', node: -1 })
  marks.push({ t: 81.2, kind: 'fault', label: `${run.world.names[202] ?? 'n202'} fails`, node: 202 })
  marks.sort((a, b) => a.t - b.t)
}

/** The moment of the reference picture: a node has failed, a publication is under way. */
function fault(): number {
  run.subscribe(16)
  run.fail(number('fail', 202))
  for (let v = 0; v < run.world.n; v++) if (run.overlay.depth[v]! >= 6 && v % 3) run.wrong.add(v)
  run.refresh()
  const end = run.publish(number('source', 4), 84, 0.12)
  run.scatterSubscriptions(24, 84.5, 0.2)
  pastOf(84.62)
  return Math.min(84.62, end)
}

/** Every node symbol and every kind of link, on the six nodes of PSVR's worked example and a few more. */
function symbols(): void {
  const { state, world } = run
  run.subscribe(3)
  const flags = [
    FLAG.corrupted | FLAG.wrong(0),
    FLAG.wrong(2),
    FLAG.wrong(2) | FLAG.subscriber,
    FLAG.publisher,
  ]
  flags.forEach((f, i) => (state.flags[i + 1]! |= f))
  state.flags[world.n - 1] = 0
  state.part[world.n - 1] = -1
  state.link[3] = LINK.forth | LINK.acceptedForth | LINK.acceptedBack
  state.link[5] = LINK.forth | LINK.back
  state.version++
  run.publish(world.n - 3, 0, 0.4)
}

/** Failed nodes cut the network into parts; only the first `young` nodes have a position yet. */
function split(): void {
  run.subscribe(16)
  for (const v of (query.get('dead') ?? '').split(',').filter(Boolean)) run.fail(Number(v))
  run.wrong.clear()
  run.refresh()
}
function young(placed: number): void {
  const { state, world } = run
  const values: number[] = []
  const order = [...run.overlay.depth.keys()].sort((a, b) => run.overlay.depth[a]! - run.overlay.depth[b]!)
  const early = new Set(order.slice(0, placed))
  for (let v = 0; v < world.n; v++) {
    state.posStart[v] = values.length
    if (early.has(v)) values.push(...run.overlay.positions[v]!)
    else state.flags[v]! |= FLAG.wrong(2)
  }
  state.posStart[world.n] = values.length
  state.pos = Int32Array.from(values)
  state.version++
}

/** Long enough that all are in the air while times are taken, virtual s. */
const FLIGHT = 120

let start = 0
if (query.get('scene') === 'fault') start = fault()
if (query.get('scene') === 'symbols') symbols()
if (query.get('scene') === 'split') split()
if (query.has('young')) young(number('young', 100))
if (query.has('messages')) {
  run.subscribe(Math.round(run.world.n / 12))
  run.scatter(number('messages', 1000), FLIGHT)
}
for (const view of [topology, ring]) {
  view.setWorld(run.world)
  view.setState(run.state)
  view.setFlights(run.flights, KINDS)
}
if (query.get('scene') === 'fault')
  for (let k = 0; k < run.flights.size; k++) {
    const to = run.flights.to[k]!
    if (run.flights.publication[k] === 1 && run.subscribers.has(to) && run.flights.start[k]! + 0.12 < start)
      for (const view of [topology, ring]) view.deliver(to, 1)
  }
score.setCurves(curves)
score.setMarks(marks)
score.setDuration(100)
$('score').style.height = `${score.geometry().height}px`
$('labels').innerHTML =
  (phone ? '' : `<div style="height:${lane}px"></div>`) +
  curves.layers.map((l) => `<div style="height:${lane}px"><b>${l}</b></div>`).join('')
if (query.has('select')) select(number('select', 0))
if (query.has('hover')) for (const view of [topology, ring]) view.hover(number('hover', 0))

const began = performance.now()
const speed = number('speed', 1)
const frozen = query.has('frozen')
function tick(wall: number): void {
  const now = frozen ? start : start + ((wall - began) / 1000) * speed
  topology.frame(now, speed)
  ring.frame(now, speed)
  score.frame(now)
  requestAnimationFrame(tick)
}
requestAnimationFrame(tick)

declare global {
  interface Window {
    bench: {
      run: FakeRun
      topology: TopologyView
      ring: RingView
      score: ScoreView
      /** Messages in the air now. */
      inFlight(): number
    }
  }
}
function inFlight(): number {
  const now = start + ((performance.now() - began) / 1000) * speed
  const { flights: f } = run
  let count = 0
  for (let k = 0; k < f.size; k++) if (f.start[k]! <= now && now < f.start[k]! + f.flight[k]!) count++
  return count
}
window.bench = { run, topology, ring, score, inFlight }
