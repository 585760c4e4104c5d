import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { inspectJson } from './json-inspect.ts'
import { scanJson } from './json-scan.ts'

const LIMITS = { containers: 1000, keys: 1000, values: 1000, depth: 1000 }
const isDoubtful = (text: string) => scanJson(text, LIMITS).hasDoubtfulNumber

/** Numbers of every form, many of them near the limits. */
const digits = (max: number) =>
  fc.oneof(fc.constantFrom('0', '1', '9007199254740991', '9007199254740992'), fc.bigInt(1n, 10n ** BigInt(max)).map(String))
const numberText = fc
  .tuple(
    fc.constantFrom('', '-'),
    digits(400),
    fc.option(digits(30)),
    fc.option(
      fc.tuple(
        fc.constantFrom('e', 'E', 'e+', 'E-'),
        fc.constantFrom('0', '5', '22', '99', '300', '308', '309', '0400', '9999999'),
      ),
    ),
  )
  .map(
    ([sign, whole, fraction, exponent]) => `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${exponent?.join('') ?? ''}`,
  )
/** Strings that look like numbers or end with escapes must be skipped as a whole. */
const stringText = fc.oneof(
  fc.string().map(text => JSON.stringify(text)),
  fc.constantFrom('"9007199254740992"', '"\\"12345678901234567890"', '"\\\\"', '"[{:,"', '"1e999"'),
)
const { value: jsonText } = fc.letrec<{ value: string }>(tie => ({
  value: fc.oneof(
    { maxDepth: 4 },
    numberText,
    stringText,
    fc.constantFrom('true', 'false', 'null'),
    fc.array(tie('value'), { maxLength: 5 }).map(items => `[${items.join(' , ')}]`),
    fc
      .array(fc.tuple(stringText, tie('value')), { maxLength: 5 })
      .map(entries => `{${entries.map(entry => entry.join(': ')).join()}}`),
  ),
}))

const isNumberFault = ({ msg }: { msg: string }) => /^(an integer|a number) must lie/.test(msg)

test('a number that the exact reading refuses is always doubtful', () => {
  fc.assert(
    fc.property(jsonText, text => {
      if (inspectJson(text).some(isNumberFault)) expect([text, isDoubtful(text)]).toEqual([text, true])
    }),
    { numRuns: 3000 },
  )
})

test('the exact reading refuses a number exactly when its value lost digits or overflowed', () => {
  fc.assert(
    fc.property(numberText, text => {
      const isInteger = /^-?\d+$/.test(text)
      const isKept = isInteger ? Number.isSafeInteger(Number(text)) : Number.isFinite(Number(text))
      expect([text, inspectJson(text).length]).toEqual([text, isKept ? 0 : 1])
    }),
    { numRuns: 3000 },
  )
})

describe('numbers that need no exact reading', () => {
  test.each([
    '1e22',
    '-1E+99',
    '0.12345678901234567890',
    '999999999999999',
    '1e-400',
    '123456789012345678.5',
    '1.5e300',
    '["12345678901234567890"]',
  ])('%s', text => expect(isDoubtful(text)).toBe(false))
})

describe('numbers that do', () => {
  test.each([
    '1e309',
    '1e400',
    '12345678901234567890',
    '-9007199254740993',
    '[1,{"a":1e0999999}]',
    `${'9'.repeat(400)}.5`,
    `${'9'.repeat(310)}e-1`,
  ])('%s', text => expect(isDoubtful(text)).toBe(true))
})

describe('limits', () => {
  test.each([
    { text: '[[],[]]', limits: { containers: 2 }, limit: 'containers', at: 4 },
    { text: '{"a:":1,"b":2}', limits: { keys: 1 }, limit: 'keys', at: 11 },
    { text: '[1,2,"a,b",3]', limits: { values: 2 }, limit: 'values', at: 10 },
    { text: '[[1],[[2]]]', limits: { depth: 2 }, limit: 'depth', at: 6 },
  ])('$limit in $text', ({ text, limits, limit, at }) => {
    expect(scanJson(text, { ...LIMITS, ...limits }).exceeded).toEqual({ limit, at })
  })

  test.each(['["[[[[", "{\\"a\\":1}"]', '{"a":[1,2]}', '["unfinished', '["\\'])('%s is within', text => {
    expect(scanJson(text, { containers: 2, keys: 1, values: 1, depth: 2 }).exceeded).toBe(null)
  })
})
