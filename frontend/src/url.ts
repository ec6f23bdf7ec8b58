/** What the address says to open, and how to write it. Everything a run needs is after the #, so it stays off server logs. */

export type Address =
  | { kind: 'link'; fragment: string }
  | { kind: 'short'; id: string }
  | { kind: 'watch'; session: string }
  | { kind: 'none' }

/** Reads an address: `#s1.…` (a whole scenario), `/s/<id>` (kept by the server), `#watch.<session>`. */
export function readAddress(pathname: string, hash: string): Address {
  const fragment = hash.replace(/^#/, '')
  if (/^s\d+\./.test(fragment)) return { kind: 'link', fragment }
  const watch = /^watch\.([\w-]{1,64})$/.exec(fragment)
  if (watch?.[1]) return { kind: 'watch', session: watch[1] }
  const short = /^\/s\/([^/]+)\/?$/.exec(pathname)
  if (short?.[1]) return { kind: 'short', id: decodePart(short[1]) }
  return { kind: 'none' }
}

/** `/sweep` (a new sweep) or `/sweep/<id>` (a result); null: the page shows a run. */
export function readSweepPlace(pathname: string): { id: string | null } | null {
  const found = /^\/sweep(?:\/([\w-]{1,100}))?\/?$/.exec(pathname)
  return found && { id: found[1] ?? null }
}

function decodePart(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Identifies what was opened, so that a reload can tell a link it has opened before. */
export function addressKey(address: Address): string {
  switch (address.kind) {
    case 'link':
      return `#${address.fragment}`
    case 'short':
      return `/s/${address.id}`
    case 'watch':
      return `#watch.${address.session}`
    case 'none':
      return ''
  }
}

/** Links longer than this are cut by some chats and mailers. */
export const LONG_LINK = 2000

/** The session this browser owned last: what a reload resumes. */
export interface Kept {
  id: string
  token: string
  /** The address it was opened from, '' once it went its own way. */
  from: string
}

const KEY = 'ringcast.session'

/** Reads what was kept, from this tab first. Storage may be switched off: then nothing was. */
export function readKept(stores: readonly (Storage | null)[] = storages()): Kept | null {
  for (const store of stores) {
    try {
      const kept: unknown = JSON.parse(store?.getItem(KEY) ?? 'null')
      if (isKept(kept)) return kept
    } catch {
      // not ours, or not readable
    }
  }
  return null
}

function isKept(value: unknown): value is Kept {
  if (typeof value !== 'object' || value === null) return false
  const { id, token, from } = value as Record<string, unknown>
  return typeof id === 'string' && typeof token === 'string' && typeof from === 'string'
}

export function keep(kept: Kept | null, stores: readonly (Storage | null)[] = storages()): void {
  for (const store of stores) {
    try {
      if (kept) store?.setItem(KEY, JSON.stringify(kept))
      else store?.removeItem(KEY)
    } catch {
      // full or forbidden: the run lives on, it just cannot be resumed after a reload
    }
  }
}

function storages(): (Storage | null)[] {
  try {
    return [sessionStorage, localStorage]
  } catch {
    return []
  }
}
