/** The event log, bounded: single messages are many, and must not push out what was done and what came of it. */
import type { Line } from './wire.gen'

const MOST = { news: 400, chatter: 300 }

const CHATTER: ReadonlySet<Line['kind']> = new Set(['send', 'receive', 'drop'])

export const isChatter = (line: Line): boolean => CHATTER.has(line.kind)

/** The log with these lines added, oldest first. */
export function withLines(log: readonly Line[], fresh: readonly Line[]): Line[] {
  const all = [...log, ...fresh]
  const kept = new Set([
    ...all.filter(isChatter).slice(-MOST.chatter),
    ...all.filter((line) => !isChatter(line)).slice(-MOST.news),
  ])
  return all.filter((line) => kept.has(line))
}
