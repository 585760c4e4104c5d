import { describe, expect, test } from 'vitest'
import { createItems } from '../../storage/items.ts'
import { keepPlaces, readMemory, withRecent, writeMemory } from './memory.ts'

const itemsWith = (text: string | null) => {
  const items = createItems('anna', null)
  items.set('options.q', text)
  return items
}

describe('what is remembered of a question', () => {
  test.each([
    { stored: null, expanded: false, recent: [] },
    { stored: 'not json', expanded: false, recent: [] },
    { stored: '7', expanded: false, recent: [] },
    { stored: '{"isExpanded":"yes","recent":["a",1,"b"]}', expanded: false, recent: ['a', 'b'] },
    { stored: '{"isExpanded":true,"recent":{}}', expanded: true, recent: [] },
  ])('$stored', ({ stored, expanded, recent }) => {
    expect(readMemory(itemsWith(stored), 'q')).toEqual({ isExpanded: expanded, recent })
  })

  test('comes back as it was written', () => {
    const items = itemsWith(null)
    writeMemory(items, 'q', { isExpanded: true, recent: ['a'] })
    expect(readMemory(items, 'q')).toEqual({ isExpanded: true, recent: ['a'] })
  })

  test('the last used comes first, each once, nine at most', () => {
    expect(withRecent(['a', 'b', 'c'], 'b')).toEqual(['b', 'a', 'c'])
    expect(withRecent([...'abcdefghi'], 'z')).toEqual([...'zabcdefgh'])
  })

  test.each([
    { before: '', recent: 'cba', after: 'cba' },
    { before: 'abc', recent: 'cab', after: 'abc' },
    { before: 'abc', recent: 'zcab', after: 'abcz' },
    { before: 'abc', recent: 'zca', after: 'azc' },
    { before: 'abc', recent: 'a', after: 'a' },
  ])('$before, then $recent: shown as $after', ({ before, recent, after }) => {
    expect(keepPlaces([...before], [...recent]).join('')).toBe(after)
  })
})
