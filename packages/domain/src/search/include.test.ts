import { describe, expect, test } from 'vitest'
import { DomainError } from '../errors.ts'
import { type Include, parseInclude } from './include.ts'

const include = (part: Partial<Include> = {}): Include => ({ responses: false, suggestions: false, vectors: false, ...part })

describe('include', () => {
  test.each<[string[], Include]>([
    [[], include()],
    [['responses'], include({ responses: true })],
    [['responses', 'suggestions', 'vectors'], { responses: true, suggestions: true, vectors: true }],
    [['responses,suggestions'], include({ responses: true, suggestions: true })],
    [['responses', 'responses,responses'], include({ responses: true })],
    [['vectors:embed,other'], include({ vectors: ['embed', 'other'] })],
    [['vectors:a', 'vectors:b,a'], include({ vectors: ['a', 'b'] })],
    [['things:a,b'], include()],
  ])('%j', (values, expected) => {
    expect(parseInclude(values)).toEqual(expected)
  })

  test.each<[string[]]>([
    [['']],
    [['things']],
    [['responses,']],
    [['responses,things']],
    [['vectors:']],
    [['vectors:a,']],
    [[':a']],
    [['vectors:a:b']],
    [['vectors', 'vectors:a']],
  ])('refuses %j', values => {
    expect(() => parseInclude(values)).toThrow(DomainError)
  })

  test('absent is nothing', () => {
    expect(parseInclude()).toEqual(include())
  })
})
