/** Compares the state with what is painted: which looks, links and regions are another since the last time. */
import { FLAG, type State } from '../../model'
import type { Paths } from '../paths'
import { healingRegion, linkKind, subtreeSizes } from '../tree'
import { LOOK, lookOf, type Scene } from './scene'

export interface Changes {
  /** Nodes that look different. */
  nodes: number[]
  links: boolean
  region: boolean
  /** A root, publisher or failed node came or went. */
  names: boolean
}

export const noChanges = (): Changes => ({ nodes: [], links: false, region: false, names: false })

/** Brings the scene up to date with `state`, adding to `changes` what differs. */
export function absorbState(scene: Scene, state: State, paths: Paths, changes: Changes): void {
  const { world } = scene
  scene.state = state
  subtreeSizes(state.parent, scene.subtree)
  for (let k = 0; k < world.m; k++) {
    const kind = linkKind(world, state, k)
    if (kind === scene.kind[k]) continue
    scene.kind[k] = kind
    changes.links = true
  }
  const before = scene.region.slice()
  healingRegion(state.flags, scene.region)
  changes.region ||= before.some((r, v) => r !== scene.region[v])
  absorbLooks(scene, paths, changes)
}

/** Looks alone, after a delivery or a new publication. */
export function absorbLooks(scene: Scene, paths: Paths, changes: Changes): void {
  const { state, look, subtree, world } = scene
  const { publisher, delivered } = paths
  const claims = new Map<number, number>()
  for (let v = 0; v < world.n; v++)
    if (state.flags[v]! & FLAG.root) claims.set(state.part[v]!, (claims.get(state.part[v]!) ?? 0) + 1)
  for (let v = 0; v < world.n; v++) {
    const is = lookOf(state.flags[v]!, {
      root: (state.flags[v]! & FLAG.root) !== 0 && (v === world.root || claims.get(state.part[v]!) === 1),
      publisher: v === publisher,
      delivered: delivered.has(v),
      inner: subtree[v]! > 1,
    })
    const was = look[v]!
    if (is === was) continue
    if (is === LOOK.failed) scene.failed.unshift(v)
    else if (was === LOOK.failed) scene.failed = scene.failed.filter((f) => f !== v)
    look[v] = is
    changes.nodes.push(v)
    if (is >= LOOK.root || was >= LOOK.root) changes.names = true
  }
}
