import { expect, test } from 'vitest'
import { addingSnippet, exportingSnippet } from './python.ts'

const place = { serverUrl: 'http://localhost:6900', workspace: 'care "team"', dataset: 'letters' }

test('names are written as Python writes texts', () => {
  expect(addingSnippet(place, ['text', 're"ply'])).toContain('workspace="care \\"team\\""')
  expect(addingSnippet(place, ['text', 're"ply'])).toContain('{ "text": …, "re\\"ply": … },')
})

test('an export takes the answers along, and no program shows a key', () => {
  expect(exportingSnippet(place)).toContain('with_responses=True')
  expect(exportingSnippet(place)).toContain('api_key="••••••••••"')
})
