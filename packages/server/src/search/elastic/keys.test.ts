import { describe, expect, test } from 'vitest'
import { targetPath, textPath, toKeyword, toLowerBound, toUpperBound } from './keys.ts'

describe('names in the index', () => {
  test.each(['a.b', '', '.', 'status', '_id', '__proto__', 'ü "x"', 'x'.repeat(200)])(
    'a field called `%s` has a path of two parts',
    name => {
      expect(textPath(name)).toMatch(/^text\.[\w-]{22}$/)
    },
  )

  test('no two fields share one, and each keeps its own', () => {
    const names = ['a', 'A', 'a ', 'a.b', 'a_b']
    expect(new Set(names.map(textPath)).size).toBe(names.length)
    expect(textPath('a')).toBe(textPath('a'))
  })

  test.each([
    [{ kind: 'record', property: 'external_id', as: 'keyword' }, 'external_id'],
    [{ kind: 'metadata', propertyId: 'p1', as: 'number' }, 'metadata.p1'],
    [{ kind: 'suggestion', questionId: 'q1', questionName: 'status', property: 'score', as: 'number' }, 'suggestions.q1.score'],
    [{ kind: 'response', questionId: 'q1', questionName: 'status', as: 'keyword' }, 'responses.values.q1'],
    [{ kind: 'response_status', as: 'keyword' }, 'responses.status'],
  ] as const)('%j is at %s', (target, path) => {
    expect(targetPath(target)).toBe(path)
  })
})

const bytes = (text: string) => Buffer.byteLength(text)

describe('long texts', () => {
  test.each(['', 'web', 'x'.repeat(8000), '漢'.repeat(2666)])(
    'a text of up to 8,000 bytes is its own keyword (case %#)',
    text => {
      expect(toKeyword(text)).toBe(text)
    },
  )

  test.each(['x', 'é', '漢', '👍'])('a longer one of `%s` is cut between characters and told apart by a hash', character => {
    const [long, other] = [character.repeat(20_000), `${character.repeat(20_000)}!`]
    expect(bytes(toKeyword(long))).toBeLessThan(8100)
    expect(toKeyword(long).isWellFormed()).toBe(true)
    expect(toKeyword(long).startsWith(character.repeat(1990))).toBe(true)
    expect(toKeyword(long)).not.toBe(toKeyword(other))
    expect(toKeyword(long)).toBe(toKeyword(character.repeat(20_000)))
  })

  test('a long bound is widened, never narrowed', () => {
    const bound = '👍'.repeat(5000)
    expect(bytes(toUpperBound(bound))).toBeLessThan(1000)
    expect(bound.startsWith(toLowerBound(bound))).toBe(true)
    expect(toUpperBound(bound).startsWith(toLowerBound(bound))).toBe(true)
    expect(Buffer.compare(Buffer.from(toLowerBound(bound)), Buffer.from(bound))).toBe(-1)
    expect(Buffer.compare(Buffer.from(toUpperBound(bound)), Buffer.from(bound))).toBe(1)
    expect([toLowerBound('b'), toUpperBound('b')]).toEqual(['b', 'b'])
  })
})
