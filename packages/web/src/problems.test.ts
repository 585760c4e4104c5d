import { ConnectionError, UnexpectedAnswerError } from '@postil/client'
import { conflict, DomainError, ERROR_CODES, type ErrorCode, forbidden, notFound, ShapeError } from '@postil/domain/errors'
import { expect, test } from 'vitest'
import { en } from './i18n/en/all.ts'
import { describeProblem, describeReason } from './problems.ts'

const { common, problems } = en
const ID = '01a1e337-de8b-702d-b893-e2b492f10a62'

test.each([
  { error: notFound('Record', ID), words: problems.gone },
  { error: forbidden(), words: problems.no_access },
  { error: new ConnectionError('refused', 'no'), words: common.problem_connection },
  { error: new DomainError('storage_full', 'SQLITE_FULL'), words: problems.storage_full },
])('says $words, without the text of the server', ({ error, words }) => {
  expect(describeProblem(error)).toBe(words)
  expect(describeReason(error)).toBe(words)
})

test('an unknown refusal is a plain sentence with the text of the server behind it', () => {
  expect(describeProblem(conflict('The job is done'))).toBe(problems.refused.replace('{message}', 'The job is done'))
  expect(describeReason(conflict('The job is done'))).toBe('The job is done')
  const shape = new ShapeError([
    { type: 'missing', loc: ['body', 'name'], msg: 'Name is missing.' },
    { type: 'missing', loc: ['body', 'title'], msg: 'Title is missing.' },
  ])
  expect(describeProblem(shape)).toContain('Name is missing. Title is missing.')
  expect(describeProblem(new UnexpectedAnswerError(502, '<html>'))).toContain('502')
})

test.each([
  { text: 'The hub answered 500 for `a/b`. Try again later', details: 'The hub answered 500 for `a/b`.' },
  { text: 'The server is stopping. Try again in a moment.', details: 'The server is stopping.' },
  {
    text: 'The disk is slow. Try again later; if this lasts, tell the operator.',
    details: 'The disk is slow. If this lasts, tell the operator.',
  },
])('says once to try again: $text', ({ text, details }) => {
  const error = new DomainError('unavailable', text)
  expect(describeProblem(error)).toBe(problems.not_now.replace('{message}', details))
  expect(describeProblem(error).match(/try again/gi)).toHaveLength(1)
  expect(describeReason(error)).toBe(text)
})

test('the provider speaks for itself', () => {
  expect(describeProblem(new DomainError('provider_refused', 'Campus did not sign you in'))).toBe('Campus did not sign you in')
})

test('every code has a sentence of its own before or instead of the text of the server', () => {
  for (const code of Object.keys(ERROR_CODES) as ErrorCode[])
    if (code !== 'provider_refused') expect(describeProblem(new DomainError(code, 'raw text'))).not.toMatch(/^raw text/)
})
