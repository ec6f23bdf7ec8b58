/** The scenario document as far as the page reads it; the server checks it in full. */

export interface ScenarioEvent {
  do: string
  t?: number
  node?: string
  channel?: string
  data?: unknown
  link?: [string, string]
  oneway?: boolean
  loss?: number
  id?: string
  x?: number
  y?: number
  links?: string[]
  layer?: string
  nodes?: string[]
  share?: number
  message?: string
}

export interface Topology {
  kind: string
  name?: string
  [option: string]: unknown
}

export interface Scenario {
  version: number
  name?: string
  seed?: number
  topology: Topology
  protocol: { name: string; params?: Record<string, unknown> }
  events?: ScenarioEvent[]
  duration_s?: number
  [rest: string]: unknown
}

/** Reads a document that the server sent, and therefore has checked. */
export const asScenario = (document: Record<string, unknown>): Scenario => document as unknown as Scenario

export const asEvent = (event: Record<string, unknown>): ScenarioEvent => event as unknown as ScenarioEvent
