import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DomainError } from '../errors.ts'
import { anyText } from '../testing/any-text.ts'
import { processorMs } from '../testing/processor-time.ts'
import { matchesText } from './text-match.ts'
import { parseTextQuery, TEXT_QUERY_LEAVES_MAX, type TextQuery } from './text-query.ts'

const word = (...tokens: string[]): TextQuery => ({ kind: 'word', runs: tokens.map(token => [token]) })
const and = (...parts: TextQuery[]): TextQuery => ({ kind: 'and', parts })
const or = (...parts: TextQuery[]): TextQuery => ({ kind: 'or', parts })
const not = (part: TextQuery): TextQuery => ({ kind: 'not', part })
const phrase = (slop: number, ...tokens: string[]): TextQuery => ({ kind: 'phrase', tokens, slop })
const prefix = (start: string): TextQuery => ({ kind: 'prefix', start })
const fuzzy = (token: string, distance: 1 | 2): TextQuery => ({ kind: 'fuzzy', token, distance })
const none: TextQuery = { kind: 'none' }
const all: TextQuery = { kind: 'all' }
const [a, b, c] = [word('a'), word('b'), word('c')]

describe('the query text', () => {
  test.each<[string, TextQuery]>([
    ['green apple', and(word('green'), word('apple'))],
    ['Green CAFÉ', and(word('green'), word('cafe'))],
    ['green + apple', and(word('green'), word('apple'))],
    ['green ++ apple', and(word('green'), word('apple'))],
    ['green | apple', or(word('green'), word('apple'))],
    ['green||apple', or(word('green'), word('apple'))],
    ['a + | b', and(a, b)],
    ['+ a', a],
    ['-apple', not(word('apple'))],
    ['-(a | b)', not(or(a, b))],
    ['--a', a],
    ['- a', a],
    ['a -', a],
    ['a -b', and(a, not(b))],
    ['fox | -dog', or(word('fox'), not(word('dog')))],
    ['-(-(a))', a],
    ['"green apple"', phrase(0, 'green', 'apple')],
    ['"green apple"~2', phrase(2, 'green', 'apple')],
    ['"green apple"~2 a', and(phrase(2, 'green', 'apple'), a)],
    ['"green apple"~', phrase(0, 'green', 'apple')],
    ['"green appl*"', phrase(0, 'green', 'appl')],
    ['"a \\" b"', phrase(0, 'a', 'b')],
    ['-"a b"', not(phrase(0, 'a', 'b'))],
    ['appl*', prefix('appl')],
    ['Äppl*', prefix('appl')],
    ['example.c*', prefix('example.c')],
    ['example.*', prefix('example.')],
    ['covid-1*', none],
    ['appl**', none],
    ['東京*', phrase(0, '東', '京')],
    ['aple~1', fuzzy('aple', 1)],
    ['aple~', fuzzy('aple', 2)],
    ['aple~9', fuzzy('aple', 2)],
    ['aple~0', word('aple')],
    ['aple~1x', and(fuzzy('aple', 1), word('x'))],
    ['~1', word('1')],
    ['&~1', none],
    ['(a', a],
    ['a)', a],
    ['((a b)', and(a, b)],
    ['"a b', and(a, b)],
    ['a"', a],
    ['(a "b) c"', and(a, b, c)],
    ['"a (b" c)', and(phrase(0, 'a', 'b'), c)],
    ['\\(a\\)', a],
    ['\\-a', a],
    ['foo\\*', word('foo')],
    ['a\\ b', word('a', 'b')],
    ['a\\', a],
    ['*', all],
    [' * ', all],
    ['fox *', none],
    ['* *', none],
    ['f?x', word('f', 'x')],
    ['quick*fox', word('quick', 'fox')],
    ['*pple', word('pple')],
    ['!fox', word('fox')],
    ['fox:', word('fox')],
    ['fox!', word('fox')],
    ['text:fox', word('text:fox')],
    ['fox^2', word('fox', '2')],
    ['[a TO z]', and(a, word('to'), word('z'))],
    ['/fo./', word('fo')],
    ['quick & fox', none],
    ['lazy [ / :', none],
    ['fox | &', word('fox')],
    ['-&', all],
    ['a | b c', and(or(a, b), c)],
    ['a b | c', or(and(a, b), c)],
    ['a (b | c)', and(a, or(b, c))],
    ['a (b c)', and(a, b, c)],
    ['a AND b', and(a, word('and'), b)],
    ['covid-19', word('covid', '19')],
    ['', none],
    ['   ', none],
    ['+ | -', none],
    ['()', none],
    ['""', none],
    ['a | () b', and(a, b)],
    ['a | (+) b', and(a, b)],
    ['a | "" b', and(a, b)],
    ['東京', { kind: 'word', runs: [['東', '京']] }],
    ['東京tower-タワ', { kind: 'word', runs: [['東', '京'], ['tower'], ['タ', 'ワ']] }],
    ['東京　駅', and({ kind: 'word', runs: [['東', '京']] }, word('駅'))],
  ])('%j', (text, tree) => {
    expect(parseTextQuery(text)).toEqual(tree)
  })
})

describe('limits of the query text', () => {
  test('as many words as allowed are read, one more is refused', () => {
    const words = (count: number) => Array.from({ length: count }, (_, i) => `w${i}`).join(' ')
    expect(parseTextQuery(words(TEXT_QUERY_LEAVES_MAX)).kind).toBe('and')
    expect(() => parseTextQuery(words(TEXT_QUERY_LEAVES_MAX + 1))).toThrow(DomainError)
  })

  test('duplicate words are searched once', () => {
    expect(parseTextQuery('fox fox "a b" "a b"')).toEqual(parseTextQuery('fox "a b"'))
    expect(parseTextQuery('a-b-a-b')).toEqual(parseTextQuery('a-b'))
    expect(parseTextQuery(Array(1000).fill('fox').join(' | '))).toEqual(parseTextQuery('fox'))
  })

  test.each([
    ['words of a phrase', `"${'a b '.repeat(2000)}"`],
    ['words of loose phrases', `"${'a b '.repeat(9)}"~2`],
  ])('too many %s are refused', (_, text) => {
    expect(() => parseTextQuery(text)).toThrow(/too many words/)
  })

  const many = (count: number, word: (i: number) => string, between: string) =>
    Array.from({ length: count }, (_, i) => word(i)).join(between)
  test.each<[what: string, max: number, word: (i: number) => string, between: string, message: RegExp]>([
    ['misspelt words', 8, i => `word${i}~1`, ' ', /misspelt/],
    ['beginnings of words', 32, i => `word${i + 10}*`, ' ', /beginnings of words/],
    ['short beginnings', 4, i => `a${i}*`, ' ', /one or two letters/],
    ['alternatives', 128, i => `word${i}`, ' | ', /alternatives/],
    ['alternatives with what they must not have', 64, i => `(word${i} -other${i})`, ' | ', /alternatives/],
  ])('as many %s as allowed are read (%i), one more is refused', (_, max, word, between, message) => {
    expect(parseTextQuery(many(max, word, between)).kind).toMatch(/and|or/)
    expect(() => parseTextQuery(many(max + 1, word, between))).toThrow(message)
    // Duplicates count once.
    expect(parseTextQuery(`${many(max, word, between)}${between}${word(0)}`)).toEqual(parseTextQuery(many(max, word, between)))
  })

  test('a hundred levels are read, one more is refused', () => {
    const nested = (levels: number) => `${'a | (b + ('.repeat((levels - 1) / 2)}a${'))'.repeat((levels - 1) / 2)}`
    expect(parseTextQuery(nested(99)).kind).toBe('or')
    expect(() => parseTextQuery(nested(101))).toThrow(DomainError)
  })

  test.each(['+', '|', '-', '(', ')', '"', '\\', '*', '~', '(-', '-(', '()', '("', '"(', '\\(', ' ', 'a~', '(a|', '_', '"a" '])(
    'ten thousand times %j takes milliseconds',
    async operator => {
      const texts = [operator.repeat(10_000), `${operator.repeat(10_000)}a${')'.repeat(10_000)}`]
      const parse = (text: string) => {
        try {
          parseTextQuery(text)
        } catch (error) {
          expect(error).toBeInstanceOf(DomainError)
        }
      }
      expect(await processorMs(() => texts.forEach(parse))).toBeLessThan(500)
    },
  )

  test('ten thousand pairs of brackets around a word are that word', () => {
    expect(parseTextQuery(`${'-('.repeat(10_000)}a${')'.repeat(10_000)}`)).toEqual(a)
  })
})

describe('for any text', () => {
  const syntax = fc.array(fc.constantFrom(...'ab+|-"()*~1\\ &京?'), { maxLength: 60 }).map(parts => parts.join(''))

  test('the parser answers, with all and none only at the root and no node of one part', () => {
    const partsOf = (tree: TextQuery) => (tree.kind === 'not' ? [tree.part] : 'parts' in tree ? tree.parts : [])
    /** Lists the nodes that may not be where they are. */
    const listWrong = (tree: TextQuery): TextQuery[] => {
      const parts = partsOf(tree)
      const isShort = (tree.kind === 'and' || tree.kind === 'or') && parts.length < 2
      const wrong = parts.filter(({ kind }) => kind === tree.kind || kind === 'all' || kind === 'none')
      return [...(isShort ? [tree] : []), ...wrong, ...parts.flatMap(listWrong)]
    }
    fc.assert(
      fc.property(fc.oneof(syntax, anyText({ maxLength: 60 })), text => {
        expect(listWrong(parseTextQuery(text))).toEqual([])
      }),
      { numRuns: 500 },
    )
  })

  test('a word with every special character escaped is one word of the same tokens', () => {
    const escaped = (text: string) => text.replace(/[-+|"()*~\\\s]/g, '\\$&')
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), text => {
        const tree = parseTextQuery(escaped(text))
        const found = matchesText(tree, new Map([['text', [text]]]))
        expect(['word', 'none']).toContain(tree.kind)
        expect(found).toBe(tree.kind === 'word')
      }),
    )
  })
})
