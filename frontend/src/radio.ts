/** Radios to choose from, and what a protocol should change along with its radio. */
import type { Scenario } from './scenario'
import type { Param, Protocol } from './wire.gen'

export type Radio = { kind: string } & Record<string, unknown>

export interface Preset {
  name: string
  title: string
  about: string
  radio: Radio
}

/** Settings of a name; what they leave out has the document's default. */
export const PRESETS: readonly Preset[] = [
  {
    name: 'ideal',
    title: 'Ideal',
    about: 'Every message arrives, always after the same time: only the protocol is seen.',
    radio: { kind: 'ideal', delay_s: 0.12 },
  },
  {
    name: 'unfair',
    title: 'Unfair scheduler',
    about: 'The papers’ adversary: links that were slow stay slow, up to a second.',
    radio: { kind: 'ideal', delay_s: 0.02, order: 'slow-links', worst_delay_s: 1 },
  },
  {
    name: 'unit-disk',
    title: 'Unit disk',
    about: 'One channel: linked nodes hear each other, two frames at once destroy each other.',
    radio: { kind: 'unit-disk' },
  },
  {
    name: 'cc2420',
    title: 'CC2420 as in Castalia',
    about: 'IEEE 802.15.4 at 0 dBm: path loss, shadowing, fading, collisions, ACKs. Needs metres.',
    radio: { kind: 'log-distance' },
  },
  {
    name: 'cc2420-low',
    title: 'CC2420 at low power',
    about: 'The same at −24 dBm, heard some 5 m away: for dense test beds such as IoT-LAB.',
    radio: { kind: 'log-distance', tx_dbm: -24 },
  },
]

const KINDS: Record<string, string> = {
  ideal: 'Ideal',
  'unit-disk': 'Unit disk',
  'log-distance': 'Log-distance',
}

export const kindTitle = (kind: string): string => KINDS[kind] ?? kind.charAt(0).toUpperCase() + kind.slice(1)

export function radioOf(scenario: Scenario | null): Radio {
  const radio = scenario?.radio
  return { kind: 'ideal', ...(typeof radio === 'object' && radio !== null ? radio : {}) }
}

/** The name a radio goes by: of the preset it is, or of its kind. `defaults`: of its kind. */
export function radioName(radio: Radio, defaults: Record<string, unknown>): string {
  const whole = (some: Radio): string => JSON.stringify(Object.entries({ ...defaults, ...some }).toSorted())
  return (
    PRESETS.find((p) => p.radio.kind === radio.kind && whole(p.radio) === whole(radio))?.title ??
    kindTitle(radio.kind)
  )
}

/** How far a log-distance radio is heard without shadowing and fading, m; null: this is no such radio. */
export function reach(radio: Readonly<Record<string, unknown>>): number | null {
  const [tx, loss, exponent, least] = ['tx_dbm', 'path_loss_db', 'exponent', 'sensitivity_dbm'].map(
    (k) => radio[k],
  )
  if (![tx, loss, exponent, least].every((x) => typeof x === 'number')) return null
  return 10 ** ((Number(tx) - Number(loss) - Number(least)) / (10 * Number(exponent)))
}

/** A parameter that suits another radio better. */
export interface Companion {
  param: Param
  from: unknown
  to: number
}

/** How many times as long periods should be, so that the one channel is not full of beacons; 1: ideal. */
const SLOWER: Record<string, number> = { 'unit-disk': 2, 'log-distance': 4 }

/** Where hellos get lost, neighbours are given up later still. */
const PATIENCE = 2.5

const stretch = (name: string, kind: string): number =>
  (SLOWER[kind] ?? 1) * (kind === 'log-distance' && name.endsWith('timeout_s') ? PATIENCE : 1)

/** What suits links that lose by distance: the neighbourhood judges them by the share of hellos heard. */
const QUALITY: Record<string, number> = { quality_in: 0.7, quality_out: 0.4 }

/**
 * What the protocol should change for this kind of radio, compared with how it is set now.
 *
 * On one channel every timer runs slower by the same factor, which keeps leases longer than periods. Back on an ideal
 * radio they are as fast as before.
 */
export function companions(
  protocol: Protocol | null,
  now: Readonly<Record<string, unknown>>,
  from: string,
  to: string,
): Companion[] {
  const found: Companion[] = []
  for (const param of protocol?.params ?? []) {
    const is = now[param.name] ?? param.default
    const wanted = suitable(param, is, from, to)
    if (wanted !== null && wanted !== is) found.push({ param, from: is, to: wanted })
  }
  return found
}

function suitable(param: Param, is: unknown, from: string, to: string): number | null {
  const quality = QUALITY[param.name]
  if (quality !== undefined)
    return to === 'log-distance' ? quality : from === 'log-distance' ? Number(param.default) : null
  if (param.kind !== 'float' || param.unit !== 's') return null
  const value = (Number(is) * stretch(param.name, to)) / stretch(param.name, from)
  return Math.min(param.hi, Math.max(param.lo, Number(value.toPrecision(6))))
}
