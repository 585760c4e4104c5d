import { expect, test } from 'vitest'
import type { MessageKey } from '../i18n/i18n.ts'
import { matchingUsesOf, suggestedUsesOf, withRole } from './from-columns.ts'
import { aColumn, aColumnUse, aPlan } from './mapping-fixtures.ts'
import type { Plan, SourceColumn } from './plan.ts'
import { answerIssues, mappingIssues, questionIssues, targetIssues } from './plan-issues.ts'
import { TEMPLATES, withoutQuestion, withQuestion, withRenamedQuestion, withTemplate } from './templates.ts'
import { toMapping } from './to-import.ts'
import { previewFields, previewQuestions, previewRecord } from './to-record.ts'
import { toSettings } from './to-settings.ts'

const words = (key: MessageKey) => key

test.each<[string, Partial<SourceColumn>, object]>([
  ['text', { type: 'text', suggestion: 'field' }, { role: 'field', target: 'c', kind: 'text', required: true }],
  ['long text', { type: 'long_text', suggestion: 'field', examples: ['plain'] }, { kind: 'text' }],
  ['markdown', { type: 'long_text', suggestion: 'field', examples: ['# Title\ntext'] }, { kind: 'markdown' }],
  ['chat', { type: 'chat', suggestion: 'field' }, { kind: 'chat' }],
  ['image', { type: 'image', suggestion: 'field' }, { kind: 'image' }],
  ['sometimes empty', { suggestion: 'field', empty: 3, name: 'c' }, { required: true }],
  ['integer', { type: 'integer', suggestion: 'metadata' }, { role: 'field' }],
])('one column of %s', (_, column, expected) => {
  expect(suggestedUsesOf([aColumn('c', column)])[0]).toMatchObject(expected)
})

test('a column that is sometimes empty is not required beside one that never is', () => {
  const uses = suggestedUsesOf([aColumn('a', { empty: 2 }), aColumn('b')])
  expect(uses.map(({ required }) => required)).toEqual([false, true])
})

test('columns find the places of a dataset by name, others are ignored', () => {
  const columns = [
    aColumn('Text'),
    aColumn('label'),
    aColumn('vec', { type: 'vector' }),
    aColumn('rest'),
    aColumn('id', { suggestion: 'external_id' }),
  ]
  const targets = { fields: ['text'], questions: ['label'], metadata: [], vectors: ['vec'] }
  expect(matchingUsesOf(columns, targets).map(({ role, target }) => [role, target])).toEqual([
    ['field', 'text'],
    ['suggestion', 'label'],
    ['vector', 'vec'],
    ['ignore', ''],
    ['external_id', ''],
  ])
})

test('a plan becomes settings', () => {
  const plan = aPlan([
    aColumnUse('body', 'field', { kind: 'markdown', title: ' Body ' }),
    aColumnUse('photo', 'field', { kind: 'image', required: false, title: '' }),
    aColumnUse('talk', 'field', { kind: 'chat' }),
    aColumnUse('stars', 'metadata', { metadata: 'integer' }),
    aColumnUse('lang', 'metadata', { metadata: 'terms' }),
    aColumnUse('emb', 'vector', { dimensions: 3 }),
    aColumnUse('rest', 'ignore'),
  ])
  expect(toSettings(plan)).toMatchObject({
    fields: [
      { name: 'body', title: 'Body', required: true, settings: { type: 'text', use_markdown: true } },
      { name: 'photo', title: 'photo', required: false, settings: { type: 'image' } },
      { name: 'talk', settings: { type: 'chat', use_markdown: true } },
    ],
    metadata_properties: [
      { name: 'stars', settings: { type: 'integer' } },
      { name: 'lang', settings: { type: 'terms' } },
    ],
    vectors_settings: [{ name: 'emb', dimensions: 3 }],
  })
})

test('a plan becomes the mapping of an import', () => {
  const plan = aPlan([
    aColumnUse('body', 'field', { target: 'text' }),
    aColumnUse('stars', 'metadata'),
    aColumnUse('emb', 'vector'),
    aColumnUse('guess', 'suggestion', { target: 'label' }),
    aColumnUse('sure', 'score', { target: 'label' }),
    aColumnUse('model', 'agent', { target: 'label' }),
    aColumnUse('old', 'response', { target: 'label' }),
    aColumnUse('who', 'user', { target: '' }),
    aColumnUse('key', 'external_id', { target: '' }),
    aColumnUse('open', 'suggestion', { target: '' }),
    aColumnUse('rest', 'ignore'),
  ])
  expect(toMapping(plan)).toEqual({
    external_id: 'key',
    fields: [{ source: 'body', target: 'text' }],
    metadata: [{ source: 'stars', target: 'stars' }],
    vectors: [{ source: 'emb', target: 'emb' }],
    suggestions: [{ target: 'label', value: 'guess', score: 'sure', agent: 'model' }],
    responses: [{ target: 'label', value: 'old', user: 'who' }],
  })
})

test('fields that were added by hand are no columns of an import', () => {
  expect(toMapping(aPlan([aColumnUse(null, 'field', { target: 'text' })])).fields).toEqual([])
})

test.each(TEMPLATES)('the template %s makes questions that can be published', template => {
  const plan = withTemplate(aPlan([aColumnUse('text', 'field'), aColumnUse('other', 'field')]), template, words)
  expect(questionIssues(plan)).toEqual([])
  expect(toSettings(plan).questions.length).toBeGreaterThan(0)
})

test('a template used twice gives its questions other names', () => {
  const once = withTemplate(aPlan([aColumnUse('text', 'field')]), 'classification', words)
  expect(withTemplate(once, 'classification', words).questions.map(({ name }) => name)).toEqual(['label', 'label_2'])
})

test('labels come from the values of a column, which then suggests the answer', () => {
  const column = aColumn('topic', { distinct: ['b', ' a ', 'b', ''], suggestion: 'suggestion' })
  const plan = withTemplate(aPlan(suggestedUsesOf([aColumn('text'), column])), 'classification', words, { labelsFrom: column })
  expect(plan.questions[0]?.settings).toMatchObject({ options: [{ value: 'b' }, { value: 'a' }] })
  expect(toMapping(plan).suggestions).toEqual([{ target: 'label', value: 'topic' }])
})

test('a correction starts with the text', () => {
  const plan = withTemplate(aPlan([aColumnUse('text', 'field')]), 'correction', words)
  expect(toMapping(plan)).toMatchObject({
    fields: [{ source: 'text', target: 'text' }],
    suggestions: [{ target: 'correction', value: 'text' }],
  })
  expect(withoutQuestion(plan, 'correction').uses).toHaveLength(1)
})

test('a removed question frees its column, a renamed one keeps it', () => {
  const column = aColumn('topic', { distinct: ['a', 'b'], suggestion: 'suggestion' })
  const plan = withTemplate(aPlan(suggestedUsesOf([aColumn('text'), column])), 'classification', words, { labelsFrom: column })
  expect(withoutQuestion(plan, 'label').uses[1]).toMatchObject({ role: 'ignore', target: '' })
  const [question] = plan.questions
  if (!question) throw new Error('The template has a question')
  const renamed = withRenamedQuestion(plan, 'label', { ...question, name: 'theme' })
  expect(toMapping(renamed).suggestions[0]?.target).toBe('theme')
})

test.each<[string, Plan, string[]]>([
  ['no field', aPlan([aColumnUse('a', 'metadata')]), ['wizard.issue_no_field']],
  ['no required field', aPlan([aColumnUse('a', 'field', { required: false })]), ['wizard.issue_no_required_field']],
  ['a name twice', aPlan([aColumnUse('a', 'field'), aColumnUse('b', 'field', { target: 'a ' })]), ['wizard.issue_name_twice']],
  ['a field and a property of one name', aPlan([aColumnUse('a', 'field'), aColumnUse('a', 'metadata')]), []],
  ['no name', aPlan([aColumnUse('a', 'field', { target: ' ' })]), ['wizard.issue_name_empty']],
  ['a long name', aPlan([aColumnUse('a', 'field', { target: 'x'.repeat(201) })]), ['wizard.issue_name_long']],
  [
    'two ids',
    aPlan([aColumnUse('a', 'field'), aColumnUse('b', 'external_id'), aColumnUse('c', 'external_id')]),
    ['wizard.issue_two_external_id'],
  ],
  [
    'six vectors',
    aPlan([aColumnUse('a', 'field'), ...'bcdefg'.split('').map(name => aColumnUse(name, 'vector'))]),
    ['wizard.issue_vectors'],
  ],
])('issues of columns: %s', (_, plan, keys) => {
  expect(mappingIssues(plan).map(({ key }) => key)).toEqual(keys)
})

test('issues of answers: a question that is missing, two columns for one', () => {
  const plan = withTemplate(
    aPlan([
      aColumnUse('text', 'field'),
      aColumnUse('a', 'suggestion', { target: 'gone' }),
      aColumnUse('b', 'response', { target: 'label' }),
      aColumnUse('c', 'response', { target: 'label' }),
    ]),
    'classification',
    words,
  )
  expect(answerIssues(plan).map(({ key }) => key)).toEqual(['wizard.issue_no_target', 'wizard.issue_two_answers'])
})

test('a required field of a dataset needs a column', () => {
  expect(targetIssues(aPlan([aColumnUse('a', 'field', { target: 'text' })]), ['text', 'reply'])).toEqual([
    { key: 'wizard.issue_field_missing', values: { field: 'reply' } },
  ])
})

test('the preview of a row shows what the import would store', () => {
  const columns = [aColumn('text'), aColumn('talk'), aColumn('tags'), aColumn('sure'), aColumn('n')]
  const plan = withTemplate(
    aPlan([
      aColumnUse('text', 'field'),
      aColumnUse('talk', 'field', { kind: 'chat' }),
      aColumnUse('tags', 'suggestion', { target: 'labels' }),
      aColumnUse('sure', 'score', { target: 'labels' }),
      aColumnUse('n', 'metadata', { metadata: 'integer' }),
    ]),
    'multi_label',
    words,
  )
  const rows = [
    [7, '[{"role":"user","content":"Hi"}]', '["first"]', '0.5', 3],
    ['', null, '', '', null],
  ]
  const settings = { fields: previewFields(plan), questions: previewQuestions(plan) }
  expect(previewRecord(plan, { columns, rows }, 0, settings)).toMatchObject({
    fields: { text: '7', talk: [{ role: 'user', content: 'Hi' }] },
    metadata: { n: 3 },
    suggestions: [{ value: ['first'], score: 0.5, question_id: 'question:labels' }],
  })
  expect(previewRecord(plan, { columns, rows }, 1, settings)).toMatchObject({ fields: {}, suggestions: [] })
})

test('a column in another role takes its own name, or none', () => {
  expect(withRole(aColumnUse('a', 'suggestion', { target: 'label' }), 'field').target).toBe('a')
  expect(withRole(aColumnUse('a', 'field'), 'suggestion').target).toBe('')
})

test('new questions have names and titles of their own', () => {
  const plan = [1, 2, 3].reduce(before => withQuestion(before, 'text', () => 'New question'), aPlan([]))
  expect(plan.questions.map(({ name, title }) => [name, title])).toEqual([
    ['question', 'New question'],
    ['question_2', 'New question 2'],
    ['question_3', 'New question 3'],
  ])
})
