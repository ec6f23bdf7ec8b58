/** The scenario document as far as the page reads it; the server checks it in full. */
import type { Protocol } from './wire.gen'

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
  field?: string
  nodes?: string[]
  share?: number
  duration_s?: number
  seed?: number
  burst?: number
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

/** Whether an event means anything to this protocol: a service it offers, a layer and a message it has. */
export function fits(event: ScenarioEvent, protocol: Protocol | null): boolean {
  if (!protocol) return true
  switch (event.do) {
    case 'subscribe':
    case 'unsubscribe':
    case 'publish':
      return protocol.services.includes(event.do)
    case 'corrupt':
      return event.layer === undefined || event.layer === '*' || hasField(event, protocol)
    case 'inject':
      return protocol.messages.some((m) => m.name === event.message)
    default:
      return true
  }
}

function hasField({ layer, field }: ScenarioEvent, protocol: Protocol): boolean {
  const found = protocol.layers.find((l) => l.name === layer)
  return found !== undefined && (field === undefined || found.fields.some((f) => f.name === field))
}
