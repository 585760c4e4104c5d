import { expect, test } from 'vitest'
import { tabsFor } from './value.ts'

test.each([
  { mine: '', suggested: null, tabs: ['mine'] },
  { mine: 'a', suggested: null, tabs: ['mine'] },
  { mine: 'a', suggested: '', tabs: ['mine'] },
  { mine: 'a', suggested: 'a', tabs: ['mine'] },
  { mine: '', suggested: 'a', tabs: ['mine', 'suggestion'] },
  { mine: 'b', suggested: 'a', tabs: ['mine', 'suggestion', 'changes'] },
])('"$mine" beside a suggestion of $suggested: $tabs', ({ mine, suggested, tabs }) => {
  expect(tabsFor(mine, suggested)).toEqual(tabs)
})
