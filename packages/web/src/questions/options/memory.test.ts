import { describe, expect, test } from 'vitest'
import { readMemory, withRecent, writeMemory } from './memory.ts'

const storageWith = (text: string | null) => {
  const items = new Map(text === null ? [] : [['postil.options.q', text]])
  return {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
  }
}

describe('what is remembered of a question', () => {
  test.each([
    { stored: null, expanded: false, recent: [] },
    { stored: 'not json', expanded: false, recent: [] },
    { stored: '7', expanded: false, recent: [] },
    { stored: '{"isExpanded":"yes","recent":["a",1,"b"]}', expanded: false, recent: ['a', 'b'] },
    { stored: '{"isExpanded":true,"recent":{}}', expanded: true, recent: [] },
  ])('$stored', ({ stored, expanded, recent }) => {
    expect(readMemory('q', storageWith(stored))).toEqual({ isExpanded: expanded, recent })
  })

  test('comes back as it was written', () => {
    const storage = storageWith(null)
    writeMemory('q', { isExpanded: true, recent: ['a'] }, storage)
    expect(readMemory('q', storage)).toEqual({ isExpanded: true, recent: ['a'] })
  })

  test('the last used comes first, each once, nine at most', () => {
    expect(withRecent(['a', 'b', 'c'], 'b')).toEqual(['b', 'a', 'c'])
    expect(withRecent([...'abcdefghi'], 'z')).toEqual([...'zabcdefgh'])
  })
})
