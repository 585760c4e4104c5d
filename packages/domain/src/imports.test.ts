import { expect, test } from 'vitest'
import { checkImportMapping, type ImportMapping } from './imports.ts'
import type { RecordRules } from './record-rules.ts'
import { refusal } from './testing.ts'

const known = (...names: string[]) => new Map(names.map(name => [name, {}]))
const rules = {
  fields: known('text'),
  questions: known('mood', 'stars'),
  metadata: known(),
  vectors: known(),
} as unknown as RecordRules

test.each<{ what: string; responses: object[]; problem: RegExp | null }>([
  { what: 'a status and none, which is the same', responses: [{ status: 'submitted' }, {}], problem: null },
  { what: 'none and a status', responses: [{}, { status: 'submitted' }], problem: null },
  { what: 'twice the same', responses: [{ status: 'draft' }, { status: 'draft' }], problem: null },
  {
    what: 'two',
    responses: [{ status: 'draft' }, { status: 'submitted' }],
    problem: /`mood` is `draft`, `stars` is `submitted`/,
  },
  { what: 'one and none, which is another', responses: [{ status: 'draft' }, {}], problem: /`stars` is `submitted`/ },
  { what: 'two of two people', responses: [{ status: 'draft', user: 'who' }, { status: 'submitted' }], problem: null },
])('responses with $what', ({ responses, problem }) => {
  const targets = ['mood', 'stars']
  const mapping = {
    fields: [{ source: 'a', target: 'text' }],
    responses: responses.map((response, index) => ({ target: targets[index], value: 'b', user: null, ...response })),
  } as ImportMapping
  const found = refusal(() => checkImportMapping(mapping, rules))
  if (problem === null) expect(found).toBeNull()
  else expect(found?.message).toMatch(problem)
})
