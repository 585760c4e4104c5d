import { expect, test } from 'vitest'
import { optionsOf, questionOptionsOf, withOptions } from './dataset-options.ts'

const stored = (postil: unknown) => optionsOf({ metadata: { postil } as never })

test.each([null, {}, { postil: 7 }, { postil: [] }])('without options, %j, all is as usual', metadata => {
  expect(optionsOf({ metadata: metadata as never })).toEqual({
    suggestions: 'prefill',
    autosave: true,
    view: 'focus',
    pageSize: 10,
    fieldLayout: 'stacked',
    comparedFields: [],
    letters: {},
    colours: {},
    limits: {},
    views: [],
    description: '',
    imageHosts: [],
  })
})

test('what others wrote there and does not fit is left out', () => {
  const options = stored({
    letters: { mood: { good: 'g', bad: 'xy', mixed: 7 }, topic: 'x' },
    colours: { names: { person: 'teal', place: '#ff0000', time: 'url(x)' }, other: null },
    fieldLayout: 'diagonal',
    comparedFields: ['a', 7, 'a', 'b', 'c', 'd', 'e'],
    imageHosts: ['Images.Example', 'https://clips.example/', '*.example', "x' 'self'", 7],
    limits: { summary: { characters: 200, words: 0 }, note: { characters: '9', words: 2.5 }, long: { words: 1_000_001 } },
  })
  expect(options.letters).toEqual({ mood: { good: 'g' }, topic: {} })
  expect(options.colours).toEqual({ names: { person: 'teal' }, other: {} })
  expect(options.fieldLayout).toBe('stacked')
  expect(options.comparedFields).toEqual(['a', 'b', 'c', 'd'])
  expect(options.imageHosts).toEqual(['images.example', 'clips.example'])
  const none = { characters: null, words: null }
  expect(options.limits).toEqual({ summary: { characters: 200, words: null }, note: none, long: none })
})

test('they come back as they were written, beside what others keep in the metadata', () => {
  const options = stored({ colours: { names: { person: 'teal' } }, limits: { summary: { characters: 9, words: null } } })
  const metadata = withOptions({ metadata: { other: 1 } }, options)
  expect(metadata).toMatchObject({ other: 1 })
  expect(optionsOf({ metadata })).toEqual(options)
  expect(questionOptionsOf(options, { name: 'names' })).toEqual({
    letters: {},
    colours: { person: 'teal' },
    limits: { characters: null, words: null },
  })
})
