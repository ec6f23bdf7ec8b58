/** Numbers and times as people read them. */

/** 01:24.620, hours only when there are some. */
export function clock(t: number, decimals = 3): string {
  const unit = 10 ** decimals
  const all = Math.max(0, Math.round(t * unit))
  const seconds = Math.floor(all / unit)
  const two = (x: number): string => String(x).padStart(2, '0')
  const hours = Math.floor(seconds / 3600)
  const fraction = decimals ? `.${String(all % unit).padStart(decimals, '0')}` : ''
  return `${hours ? `${hours}:` : ''}${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}${fraction}`
}

/** A stretch of time for the stopwatch: value and unit, 3.42 s, 1:24.6, 2:05:10. */
export function stretch(s: number): { value: string; unit: string } {
  const t = Math.max(0, s)
  if (t < 99.995) return { value: t.toFixed(2), unit: 's' }
  if (t < 3600) {
    const tenths = Math.round(t * 10)
    const minutes = Math.floor(tenths / 600)
    return { value: `${minutes}:${((tenths % 600) / 10).toFixed(1).padStart(4, '0')}`, unit: 'min' }
  }
  return { value: clock(t, 0), unit: 'h' }
}

/** 3.4 s, 85 s, 12 min, 3.1 h: for a glance. */
export function brief(s: number): string {
  if (s < 10) return `${s.toFixed(1)} s`
  if (s < 600) return `${Math.round(s)} s`
  if (s < 7200) return `${Math.round(s / 60)} min`
  return `${(s / 3600).toFixed(1)} h`
}

const whole = new Intl.NumberFormat('en-GB')

/** 12,345 */
export const count = (n: number): string => whole.format(Math.round(n))

/** With a capital at its beginning. */
export const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** 97 %, 99.6 %; 100 % only where nothing is missing. */
export function share(part: number, all: number): string {
  const percent = (100 * part) / all
  return part === all ? '100 %' : `${Math.min(99.9, percent).toFixed(percent < 99 ? 0 : 1)} %`
}

/** "1 node", "12 nodes" */
export const many = (n: number, one: string, more = `${one}s`): string =>
  `${count(n)} ${n === 1 ? one : more}`

/** 0.1×, 1×, 100× */
export const times = (x: number): string => `${x < 1 ? x.toFixed(1) : Math.round(x * 10) / 10}×`

/** Names in a row: "a, b and 3 more". */
export function some(names: readonly string[], most = 2): string {
  if (names.length <= most + 1) return names.join(', ')
  return `${names.slice(0, most).join(', ')} and ${names.length - most} more`
}
