import { expect, test } from 'vitest'
import { optionsNamed, questionWith } from '../../questions/question-fixtures.ts'
import { questionIssues, toDraft, toUpdate, withDraft, withQuestionOptions } from './question-draft.ts'

const question = questionWith({ type: 'label_selection', options: optionsNamed('a', 'b'), visible_options: null })
const draft = toDraft(question, { letters: { a: 'x' }, colours: {}, limits: { characters: null, words: null } })

test('only what changed is sent, trimmed, an emptied description as none', () => {
  expect(toUpdate(draft, [])).toBeNull()
  expect(toUpdate({ ...draft, letters: {} }, ['letters'])).toBeNull()
  expect(toUpdate({ ...draft, title: ' Topic ' }, ['title'])).toEqual({ title: 'Topic' })
  expect(toUpdate({ ...draft, description: '  ' }, ['description', 'settings'])).toEqual({
    description: null,
    settings: question.settings,
  })
})

test('the preview shows the question as edited', () => {
  expect(withDraft(question, { ...draft, title: 'Topic', description: 'Why' })).toEqual({
    ...question,
    title: 'Topic',
    description: 'Why',
  })
  expect(withDraft(question, draft)).toEqual(question)
})

test.each([
  { part: {}, invalid: [] },
  { part: { title: ' ' }, invalid: ['title'] },
  { part: { description: 'x'.repeat(1_001) }, invalid: ['description'] },
  { part: { letters: { a: 'x', b: 'X' } }, invalid: ['letters'] },
  { part: { limits: { characters: 200, words: null } }, invalid: [] },
  { part: { limits: { characters: 0, words: null } }, invalid: ['limits'] },
  { part: { limits: { characters: null, words: 2.5 } }, invalid: ['limits'] },
])('$part -> $invalid', ({ part, invalid }) => {
  const issues = Object.entries(questionIssues({ ...draft, ...part }))
  expect(issues.filter(([, issue]) => issue).map(([name]) => name)).toEqual(invalid)
})

test('only changed web UI options of a question are saved, beside those of other questions', () => {
  const stored = { letters: { other: { a: 'y' } }, colours: {}, limits: {} }
  expect(withQuestionOptions(stored, 'q', draft, ['title'])).toEqual({})
  expect(withQuestionOptions(stored, 'q', { ...draft, colours: { a: 'teal' } }, ['letters', 'colours'])).toEqual({
    letters: { other: { a: 'y' }, q: { a: 'x' } },
    colours: { q: { a: 'teal' } },
  })
})
