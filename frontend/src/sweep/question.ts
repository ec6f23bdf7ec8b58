/** The question a sweep asks, in words: its name unless somebody gives it another. */
import { sentence } from '../format'

/** `axes`: titles of what varies; `compared`: of the one whose values are compared; `measure`: what is looked at first. */
export function question(axes: readonly string[], compared: string | null, measure: string): string {
  const varied = axes.filter((title) => title !== compared).map(inside)
  const along = list(varied)
  if (compared !== null && along)
    return `Which ${compared.toLowerCase()} is best in ${measure}, and does ${along} matter?`
  if (compared !== null) return `Which ${compared.toLowerCase()} is best in ${measure}?`
  if (along) return sentence(`how ${varied.length > 1 ? 'do' : 'does'} ${along} change ${measure}?`)
  return `How much does chance change ${measure}?`
}

const list = (names: readonly string[]): string =>
  names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${names.at(-1)}` : (names[0] ?? '')

/** What a scenario has one of is not named like a quantity. */
const ONE = new Set(['network', 'radio', 'protocol'])
const inside = (title: string): string => {
  const name = title.toLowerCase()
  return ONE.has(name) ? `the ${name}` : name
}
