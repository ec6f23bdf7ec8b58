import { expect, it } from 'vitest'
import { FLAG } from '../model'
import { columnsOf } from './still'
import { LinkKind, linkKind } from './tree'

const still = {
  x: [0, 1, 2, 9],
  y: [0, 0, 1, 9],
  links: [0, 1, 0, 2, 1, 2],
  parent: [-1, 0, 0, -1],
  roots: [0, 3],
}

it('draws links of the tree as such, the others as shortcuts', () => {
  const { world, state } = columnsOf(still)
  expect([0, 1, 2].map((k) => linkKind(world, state, k))).toEqual([
    LinkKind.tree,
    LinkKind.tree,
    LinkKind.shortcut,
  ])
})

it('has one root in every part', () => {
  const { state } = columnsOf(still)
  expect([...state.flags].map((f) => (f & FLAG.root) !== 0)).toEqual([true, false, false, true])
  expect(state.part[0]).not.toBe(state.part[3])
})

it('draws links alone where no tree is known', () => {
  const { world, state } = columnsOf({ ...still, parent: null, roots: [] })
  expect([0, 1, 2].map((k) => linkKind(world, state, k))).toEqual(Array(3).fill(LinkKind.shortcut))
})
