/** What the ring is painted from. */
import type { State } from '../../model'
import type { Theme } from '../theme'
import type { RingGeometry } from './geometry'
import type { Ring } from './model'

export interface RingScene {
  ring: Ring
  g: RingGeometry
  state: State
  theme: Theme
  /** Shortcuts as pairs of positions. */
  chords: Int32Array
  /** FLAG.wrong bits that count as wrong here. */
  wrongMask: number
}
