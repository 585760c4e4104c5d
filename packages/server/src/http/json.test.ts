import { ShapeError, type ShapeProblem } from '@postil/domain/errors'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BODY_CONTAINERS_MAX, BODY_KEYS_MAX, BODY_VALUES_MAX, parseJson } from './json.ts'
import { BODY_DEPTH_MAX } from './json-inspect.ts'

const parseText = (text: string) => parseJson(new TextEncoder().encode(text))

function problemsOf(body: string | Uint8Array): ShapeProblem[] {
  try {
    parseJson(typeof body === 'string' ? new TextEncoder().encode(body) : body)
  } catch (error) {
    if (error instanceof ShapeError) return error.problems
    throw error
  }
  return []
}

const problemsIn = (body: string | Uint8Array) => problemsOf(body).map(({ type, loc }) => [type, ...loc])

test('a body is parsed as JSON.parse does', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), value => {
      const text = JSON.stringify(value)
      // Refused values have their own tests.
      fc.pre(!/\\u|\d{16}/.test(text))
      expect(parseText(text)).toEqual(JSON.parse(text))
    }),
  )
})

test('a byte order mark means nothing', () => {
  expect(parseText('\ufeff{"a":1}')).toEqual({ a: 1 })
})

test('a view into a larger buffer is read within its bounds', () => {
  expect(parseJson(new TextEncoder().encode('xx[1]xx').subarray(2, 5))).toEqual([1])
})

describe('syntax errors have their offset in characters', () => {
  test.each([
    ['', 0],
    ['   ', 3],
    ['{"a":NaN}', 5],
    ['[Infinity]', 1],
    ['[-Infinity]', 2],
    ['{"a":1,}', 7],
    ['[1,]', 3],
    ['[1 2]', 3],
    ['{a:1}', 1],
    ["{'a':1}", 1],
    ['{"a" 1}', 5],
    ['{"a":1', 6],
    ['["a', 3],
    ['["a\nb"]', 3],
    ['["\\x"]', 2],
    ['["\\u12"]', 2],
    ['["a\0b"]', 3],
    ['[01]', 2],
    ['[1.]', 3],
    ['[1e]', 3],
    ['[.5]', 1],
    ['[1] x', 4],
    ['tru', 0],
    ['["😀", x]', 6],
    ['\u00a0[]', 0],
  ])('%j at %i', (text, offset) => {
    expect(problemsIn(text)).toEqual([['json_invalid', 'body', offset]])
  })

  test('bytes that are no UTF-8', () => {
    expect(problemsIn(Uint8Array.from([0x5b, 0x22, 0xff, 0x22, 0x5d]))).toEqual([['json_invalid', 'body', 2]])
    expect(problemsIn(Uint8Array.from([0x22, 0xed, 0xa0, 0x80, 0x22]))).toEqual([['json_invalid', 'body', 1]])
  })

  test('every syntax error that V8 reports has a position', () => {
    const soup = fc.array(fc.constantFrom(...'{}[],:"\\ue0-.19+ tn', 'true', 'null', '"a"'), { maxLength: 12 })
    fc.assert(
      fc.property(soup, parts => {
        const text = parts.join('')
        let valid = true
        try {
          JSON.parse(text)
        } catch {
          valid = false
        }
        const types = problemsOf(text).map(problem => problem.msg)
        expect(types.includes('the body is not valid JSON')).toBe(false)
        expect(problemsIn(text).some(([type]) => type === 'json_invalid')).toBe(!valid)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('values that would not be kept as sent are refused with their path', () => {
  test.each<[string, (string | number)[]]>([
    ['{"a":9007199254740992}', ['a']],
    ['{"a":[0,-9007199254740992]}', ['a', 1]],
    ['[[1e400]]', [0, 0]],
    ['[-1e400]', [0]],
    [`[1${'0'.repeat(400)}]`, [0]],
    [`[1${'0'.repeat(400)}.5]`, [0]],
    ['{"a":{"b":"x\\u0000"}}', ['a', 'b']],
    ['["\\ud83d"]', [0]],
    ['["\\uDE00"]', [0]],
    ['["\\ude00\\ud83d"]', [0]],
    ['["\\\\ud83d\\ude00"]', [0]],
    ['["\\ud83d\\\\ude00"]', [0]],
    ['["\\ud83d\\ud83d\\ude00"]', [0]],
    ['{"k\\u0000":1}', ['k\0']],
    ['{"\\ud800":1}', ['\ud800']],
  ])('%s', (text, path) => {
    expect(problemsIn(text)).toEqual([['value_error', 'body', ...path]])
  })

  test('several are reported in order', () => {
    expect(problemsIn('{"a":[1e999,"\\u0000"],"b":12345678901234567890}')).toEqual([
      ['value_error', 'body', 'a', 0],
      ['value_error', 'body', 'a', 1],
      ['value_error', 'body', 'b'],
    ])
  })

  test('a syntax error is reported instead of them', () => {
    expect(problemsIn('[1e999,"\\u0000"')).toEqual([['json_invalid', 'body', 15]])
  })
})

describe('values that look like those and are fine', () => {
  test.each([
    '[9007199254740991,-9007199254740991]',
    '[1e20,1.5e308,-1e+20,1e-400]',
    '[0.12345678901234567890]',
    '[12345678901234567890.5]',
    '["12345678901234567890","1e400"]',
    '["\\ud83d\\ude00","\\uD83D\\uDE00"]',
    '["\\\\ud83d","\\\\u0000","\\\\ude00"]',
    '{"__proto__":{"a":1}}',
  ])('%s', text => {
    expect(JSON.stringify(parseText(text))).toBe(JSON.stringify(JSON.parse(text)))
  })
})

describe('limits', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

  test('the deepest body is taken, one level more is refused', () => {
    expect(problemsIn(nested(BODY_DEPTH_MAX))).toEqual([])
    expect(problemsIn(nested(BODY_DEPTH_MAX + 1))).toEqual([['json_invalid', 'body', BODY_DEPTH_MAX]])
    expect(problemsOf(nested(BODY_DEPTH_MAX + 1))[0]?.msg).toContain(`${BODY_DEPTH_MAX} levels`)
  })

  test.each([10_000, 1_000_000])('%i levels are refused, closed or not', levels => {
    expect(problemsIn(nested(levels))).toEqual([['json_invalid', 'body', BODY_DEPTH_MAX]])
    expect(problemsIn('['.repeat(levels))).toEqual([['json_invalid', 'body', BODY_DEPTH_MAX]])
    expect(problemsIn('{"a":'.repeat(levels))).toEqual([['json_invalid', 'body', BODY_DEPTH_MAX * 5]])
  })

  test('very many lists are refused, brackets inside texts are not counted', () => {
    expect(problemsIn(`[${'[],'.repeat(BODY_CONTAINERS_MAX)}[]]`)).toEqual([['json_invalid', 'body', expect.any(Number)]])
    expect(problemsIn(`["\\"${'['.repeat(BODY_CONTAINERS_MAX + 1)}\\\\",{}]`)).toEqual([])
  })

  test('very many property names are refused, colons inside texts are not counted', () => {
    const named = (count: number) => `{${Array.from({ length: count }, (_, i) => `"${i}":1`).join()}}`
    expect(problemsOf(named(BODY_KEYS_MAX + 1))[0]?.msg).toContain(`${BODY_KEYS_MAX} property names`)
    expect(problemsIn(named(BODY_KEYS_MAX))).toEqual([])
    expect(problemsIn(`["${':'.repeat(BODY_KEYS_MAX * 6)}"]`)).toEqual([])
  })

  test('very many values are refused, commas inside texts are not counted', () => {
    expect(problemsOf(`[${'1e22,'.repeat(BODY_VALUES_MAX + 1)}1]`)[0]?.msg).toContain(`${BODY_VALUES_MAX} values`)
    expect(problemsIn(`["${','.repeat(BODY_VALUES_MAX + 1)}"]`)).toEqual([])
  })

  test('of very many wrong values only the first are reported', () => {
    expect(problemsIn(`[${Array(10_000).fill('1e999').join()}]`).length).toBe(100)
  })
})
