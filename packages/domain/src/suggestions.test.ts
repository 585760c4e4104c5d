import { describe, expect, test } from 'vitest'
import { prepareRecordRules } from './record-rules.ts'
import { checkSuggestion, checkSuggestions, SuggestionCreate } from './suggestions.ts'
import { accepts, refusal } from './testing.ts'

const ids = [
  '00000000-0000-4000-8000-000000000001',
  '00000000-0000-4000-8000-000000000002',
  '00000000-0000-4000-8000-000000000003',
] as const
const [topic, topics, stranger] = ids
const options = ['food', 'drink'].map(value => ({ value, text: value, description: null }))

const rules = prepareRecordRules({
  questions: [
    { id: topic, name: 'topic', required: true, settings: { type: 'label_selection', options, visible_options: null } },
    {
      id: topics,
      name: 'topics',
      required: false,
      settings: { type: 'multi_label_selection', options, visible_options: null, options_order: 'natural' },
    },
  ],
})

describe('the body of a suggestion', () => {
  const body = { question_id: topic, value: 'food' }

  test.each([
    { agent: 'ner/v2.1', ok: true },
    { agent: 'My model: 3_b-x', ok: true },
    { agent: 'a', ok: true },
    { agent: ' - 1', ok: true },
    { agent: null, ok: true },
    { agent: '', ok: false },
    { agent: '-_:./ ', ok: false },
    { agent: 'modèle', ok: false },
    { agent: 'a@b', ok: false },
    { agent: 'x'.repeat(200), ok: true },
    { agent: 'x'.repeat(201), ok: false },
  ])('may name agent $agent -> $ok', ({ agent, ok }) => {
    expect(accepts(SuggestionCreate, { ...body, agent })).toBe(ok)
  })

  test.each([
    { score: null, ok: true },
    { score: 0, ok: true },
    { score: 1, ok: true },
    { score: -0.01, ok: false },
    { score: 1.01, ok: false },
    { score: [0, 1], ok: true },
    { score: [], ok: false },
    { score: [0.5, 2], ok: false },
  ])('may have score $score -> $ok', ({ score, ok }) => {
    const [schema] = (SuggestionCreate.properties.score as unknown as { anyOf: Parameters<typeof accepts>[0][] }).anyOf
    expect(score === null || (schema !== undefined && accepts(schema, score))).toBe(ok)
  })

  test.each([
    { type: 'model', ok: true },
    { type: 'human', ok: true },
    { type: 'robot', ok: false },
  ])('may be of type $type -> $ok', ({ type, ok }) => {
    expect(accepts(SuggestionCreate, { ...body, type })).toBe(ok)
  })
})

describe('a suggestion', () => {
  test.each([
    { why: 'its value is valid', suggestion: { question_id: topic, value: 'food' }, at: null },
    { why: 'one value has one score', suggestion: { question_id: topic, value: 'food', score: 0.5 }, at: null },
    { why: 'each value has a score', suggestion: { question_id: topics, value: ['food', 'drink'], score: [0.5, 0.1] }, at: null },
    { why: 'the question is not of this dataset', suggestion: { question_id: stranger, value: 'food' }, at: ['question_id'] },
    { why: 'its value is not valid', suggestion: { question_id: topic, value: 'x', score: [1] }, at: ['value'] },
    { why: 'one of its values is not valid', suggestion: { question_id: topics, value: ['food', 'x'] }, at: ['value', 1] },
    { why: 'one value has several scores', suggestion: { question_id: topic, value: 'food', score: [0.5] }, at: ['score'] },
    { why: 'several values have one score', suggestion: { question_id: topics, value: ['food'], score: 0.5 }, at: ['score'] },
    { why: 'scores are too few', suggestion: { question_id: topics, value: ['food', 'drink'], score: [0.5] }, at: ['score'] },
  ])('when $why is refused at $at', ({ suggestion, at }) => {
    expect(refusal(() => checkSuggestion(suggestion, rules, {}))?.at ?? null).toEqual(at)
  })

  test('is one of at most one for each question of a record', () => {
    const food = { question_id: topic, value: 'food' }
    expect(refusal(() => checkSuggestions([food, { question_id: topics, value: ['food'] }], rules, {}))).toBeNull()
    expect(refusal(() => checkSuggestions([food, food], rules, {}))).toMatchObject({ at: ['suggestions', 1] })
  })
})
