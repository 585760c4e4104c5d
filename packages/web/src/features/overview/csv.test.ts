import { expect, test } from 'vitest'
import { toFileName } from './csv.ts'

test('names of files have letters and digits of every script', () => {
  expect(toFileName('Antworten: Größe / 東京', 'people')).toBe('antworten-größe-東京-people.csv')
  expect(toFileName('../../etc', '')).toBe('etc.csv')
})
