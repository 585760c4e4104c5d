import { expect, test } from 'vitest'
import { addRecordsSnippet, exportSnippet, remainingRowsSnippet } from './python.ts'

const place = { serverUrl: 'http://localhost:6900', workspace: 'care "team"', dataset: 'letters' }

test('names are written as Python writes texts', () => {
  expect(addRecordsSnippet(place, ['text', 're"ply'])).toContain('workspace="care \\"team\\""')
  expect(addRecordsSnippet(place, ['text', 're"ply'])).toContain('{ "text": …, "re\\"ply": … },')
})

test('an export takes the answers along, and no program shows a key', () => {
  expect(exportSnippet(place)).toContain('with_responses=True')
  expect(exportSnippet(place)).toContain('api_key="••••••••••"')
})

test('the rows that an import has left are added from where it ended', () => {
  const mapping = { body: 'text', label: 'mood.suggestion' }
  const program = remainingRowsSnippet(place, { name: 'team/data', subset: 'default', split: 'train', from: 10_000, mapping })
  expect(program).toContain('load_dataset("team/data", "default", split="train[10000:]")')
  expect(program).toContain('  "label": "mood.suggestion",')
})
