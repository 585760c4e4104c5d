import { expect, test } from 'vitest'
import { checkOrder, checkStillRequired } from './dataset-changes.ts'
import { refusal } from './testing.ts'

const questions = [
  { id: '1', name: 'one', required: true },
  { id: '2', name: 'two', required: false },
]

test.each([
  { ids: ['1', '2'], problem: null },
  { ids: ['2', '1'], problem: null },
  { ids: ['2'], problem: 'Missing: `one`' },
  { ids: ['2', '1', '1'], problem: 'twice' },
  { ids: ['2', '1', '3'], problem: '`3`' },
  { ids: [], problem: 'Missing: `one`, `two`' },
])('an order of $ids -> $problem', ({ ids, problem }) => {
  if (problem === null) expect(() => checkOrder(questions, ids)).not.toThrow()
  else expect(refusal(() => checkOrder(questions, ids))?.message).toContain(problem)
})

test.each([
  { status: 'ready', id: '1', required: false, ok: false },
  { status: 'ready', id: '2', required: false, ok: true },
  { status: 'ready', id: '1', required: true, ok: true },
  { status: 'draft', id: '1', required: false, ok: true },
])('in a $status dataset, question $id required: $required -> $ok', ({ status, id, required, ok }) => {
  const check = () => checkStillRequired({ status }, questions, { id, required })
  if (ok) expect(check).not.toThrow()
  else expect(refusal(check)?.message).toContain('at least one required question')
})
