/** Everything painted: the network, its ring, the score, and the symbols they share with the interface. */
export { glyph, glyphSvg, type Glyph } from './glyphs'
export { shape } from './shapes'
export { RingView, type RingOptions } from './ring'
export { partsOf, ringOf, type Ring } from './ring/model'
export { ScoreView } from './score'
export { scoreGeometry } from './score/geometry'
export { TopologyView } from './topology'
export type {
  Direction,
  Hit,
  Lane,
  Padding,
  Picture,
  PictureOptions,
  Point,
  ScoreGeometry,
  ScoreOptions,
  TopologyOptions,
  Via,
} from './types'
