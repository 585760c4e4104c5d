import { describe, expect, test } from 'vitest'
import { type BulkAction, BulkRequest, checkBulkAction, checkRecordSelection, toBulkResponse } from './bulk-jobs.ts'
import { prepareRecordRules } from './record-rules.ts'
import { accepts, refusal } from './testing.ts'

const ID = '01a1dfa4-4ccc-7000-9abf-000000000001'
const settings = { type: 'text' as const, use_markdown: false }
const rules = prepareRecordRules({
  questions: [
    { id: '1', name: 'why', required: true, settings },
    { id: '2', name: 'note', required: false, settings },
  ],
})

const respond = (values: object | null, status = 'submitted') => ({ type: 'respond', status, values }) as BulkAction
const accept = (questions: object[], status = 'submitted') =>
  ({ type: 'accept_suggestions', status, questions }) as unknown as BulkAction
const back: BulkAction = { type: 'return_to_pending' }

describe('the records of a bulk job', () => {
  test.each([
    { why: 'a query', given: { query: {} }, says: null },
    { why: 'a queue', given: { query: {}, response_status: 'pending', except_record_ids: [ID] }, says: null },
    { why: 'named records', given: { record_ids: [ID] }, says: null },
    { why: 'nothing', given: {}, says: 'exactly one' },
    { why: 'both', given: { query: {}, record_ids: [ID] }, says: 'exactly one' },
    { why: 'named records in a queue', given: { record_ids: [ID], response_status: 'draft' }, says: 'go with `query`' },
    { why: 'named records with exceptions', given: { record_ids: [ID], except_record_ids: [ID] }, says: 'go with `query`' },
    { why: 'similar records', given: { query: { query: { vector: { name: 'v', record_id: ID } } } }, says: 'similarity' },
  ])('chosen by $why: $says', ({ given, says }) => {
    if (says === null) expect(checkRecordSelection(given)).toBeNull()
    else expect(checkRecordSelection(given)).toContain(says)
  })

  test.each([
    { why: 'is expected', body: { expected_total: 1 }, ok: true },
    { why: 'is not told', body: {}, ok: false },
    { why: 'is none', body: { expected_total: 0 }, ok: false },
  ])('must be at least one, and how many: $why -> $ok', ({ body, ok }) => {
    expect(accepts(BulkRequest, { query: {}, action: back, ...body })).toBe(ok)
  })
})

describe('an action', () => {
  test.each([
    { why: 'answers all', action: respond({ why: { value: 'so' } }), merge: false, says: null },
    { why: 'leaves a required question to what is there', action: respond({ note: { value: 'x' } }), merge: true, says: null },
    { why: 'leaves a required question open', action: respond({ note: { value: 'x' } }), merge: false, says: 'Missing: `why`' },
    { why: 'is a draft', action: respond(null, 'draft'), merge: false, says: null },
    { why: 'answers an unknown question', action: respond({ who: { value: 'x' } }), merge: true, says: '`who`' },
    { why: 'is long', action: respond({ why: { value: 'x'.repeat(20_000) } }), merge: true, says: '20000 characters' },
    { why: 'accepts suggestions', action: accept([{ name: 'why' }]), merge: false, says: null },
    { why: 'accepts too few', action: accept([{ name: 'note' }]), merge: false, says: 'Missing: `why`' },
    { why: 'accepts those of an unknown question', action: accept([{ name: 'who' }]), merge: true, says: '`who`' },
    { why: 'takes back', action: back, merge: false, says: null },
  ])('that $why is refused with: $says', ({ action, merge, says }) => {
    const message = refusal(() => checkBulkAction(action, merge, rules))?.message ?? null
    if (says === null) expect(message).toBeNull()
    else expect(message).toContain(says)
  })
})

describe('a record', () => {
  const mine = { why: { value: 'mine' }, note: { value: 'kept' } }
  const suggestions = new Map([
    ['why', { value: 'suggested', score: 0.9 }],
    ['note', { value: 'unscored', score: null }],
  ])
  const become = (action: BulkAction, merge: boolean) => toBulkResponse(action, merge, { values: mine, suggestions })

  test('keeps answers to other questions, unless told not to', () => {
    const action = respond({ why: { value: 'new' } })
    expect(become(action, true)).toEqual({ status: 'submitted', values: { why: { value: 'new' }, note: { value: 'kept' } } })
    expect(become(action, false)).toEqual({ status: 'submitted', values: { why: { value: 'new' } } })
    expect(become(respond(null, 'discarded'), true)).toEqual({ status: 'discarded', values: mine })
  })

  test.each([
    { min_score: null, accepted: 'suggested' },
    { min_score: 0.9, accepted: 'suggested' },
    { min_score: 0.91, accepted: null },
  ])('takes a suggestion with score 0.9 where $min_score is asked -> $accepted', ({ min_score, accepted }) => {
    const action = accept([{ name: 'why', min_score }])
    if (accepted === null) expect(refusal(() => become(action, false))?.message).toContain('No suggestion')
    else expect(become(action, false)?.values).toEqual({ why: { value: accepted } })
  })

  test('without a score is taken only where none is asked, and those that are good enough are enough', () => {
    expect(refusal(() => become(accept([{ name: 'note', min_score: 0 }]), false))).not.toBeNull()
    expect(become(accept([{ name: 'note' }]), false)?.values).toEqual({ note: { value: 'unscored' } })
    const both = accept([
      { name: 'why', min_score: 0.5 },
      { name: 'note', min_score: 0.5 },
    ])
    expect(become(both, true)?.values).toEqual({ why: { value: 'suggested' }, note: { value: 'kept' } })
  })

  test('that goes back to pending has no response', () => {
    expect(become(back, true)).toBeNull()
  })
})
