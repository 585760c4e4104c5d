import { describe, expect, test } from 'vitest'
import { createItems } from './items.ts'

const memory = () => {
  const rows = new Map<string, string>()
  return {
    rows,
    getItem: (key: string) => rows.get(key) ?? null,
    setItem: (key: string, value: string) => void rows.set(key, value),
    removeItem: (key: string) => void rows.delete(key),
  }
}
const refuse = () => {
  throw new DOMException('full', 'QuotaExceededError')
}

describe('small things of a person', () => {
  test('are kept under a key with the person’s id, and are nobody else’s', () => {
    const storage = memory()
    createItems('anna', storage).keep('pace', [1])
    expect([...storage.rows]).toEqual([['postil.anna.pace', '[1]']])
    expect(createItems('anna', storage).read('pace')).toEqual([1])
    expect(createItems('bert', storage).read('pace')).toBeNull()
  })

  test.each([
    { name: 'no storage', storage: null },
    { name: 'storage that refuses to read and to write', storage: { getItem: refuse, setItem: refuse, removeItem: refuse } },
    { name: 'storage that is full', storage: { ...memory(), setItem: refuse } },
  ])('$name: remembered for the visit', ({ storage }) => {
    const items = createItems('anna', storage)
    items.set('look', 'dark')
    expect(items.get('look')).toBe('dark')
    items.set('look', null)
    expect(items.get('look')).toBeNull()
  })

  test('what is no JSON is nothing', () => {
    const storage = memory()
    storage.rows.set('postil.anna.pace', '{')
    expect(createItems('anna', storage).read('pace')).toBeNull()
  })
})
