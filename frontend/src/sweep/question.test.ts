import { expect, it } from 'vitest'
import { question } from './question'

it.each([
  [['Mean degree'], null, 'How does mean degree change hops per delivery?'],
  [['Mean degree', 'Loss'], null, 'How do mean degree and loss change hops per delivery?'],
  [['Protocol'], 'Protocol', 'Which protocol is best in hops per delivery?'],
  [
    ['Mean degree', 'Protocol'],
    'Protocol',
    'Which protocol is best in hops per delivery, and does mean degree matter?',
  ],
  [['Radio', 'Network'], 'Radio', 'Which radio is best in hops per delivery, and does the network matter?'],
  [[], null, 'How much does chance change hops per delivery?'],
])('%j compared by %s', (axes, compared, text) =>
  expect(question(axes, compared, 'hops per delivery')).toBe(text),
)
