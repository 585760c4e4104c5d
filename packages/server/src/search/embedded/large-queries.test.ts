/** The largest queries that the API allows must not exceed any limit of the engine. */
import { matchesText } from '@postil/domain/search/text-match'
import { parseTextQuery, type TextQuery } from '@postil/domain/search/text-query'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestContext, type TestContext } from '../../testing/context.ts'
import { addRecords, type Corpus, createTestDataset, readCorpus, runQuery, textField, toQuery } from '../corpus.contract.ts'

let ctx: TestContext
let corpus: Corpus
beforeAll(async () => {
  ctx = await openTestContext()
  const dataset = await createTestDataset(ctx, ['prompt', 'reply'].map(textField))
  const texts = ['w1 w2 w3', 'w2 w3 w4 w5', 'w1023 x', 'y', 'green red apple']
  await addRecords(
    dataset,
    texts.map(text => ({ fields: { prompt: text } })),
  )
  corpus = await readCorpus(dataset)
})
afterAll(() => ctx.close())

const search = (tree: TextQuery) => runQuery(corpus, { ...toQuery(corpus, {}), text: { tree, field: null } })
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)

/** `w0 (w1 | -(w2 (w3 | …` */
function nested(levels: number): TextQuery {
  let tree: TextQuery = { kind: 'word', runs: [['w1']] }
  for (let i = 1; i < levels; i++) {
    const word: TextQuery = { kind: 'word', runs: [[`w${i}`]] }
    const parts: TextQuery[] = i % 3 === 0 ? [word, { kind: 'not' as const, part: tree }] : [word, tree]
    tree = { kind: i % 2 === 0 ? 'and' : 'or', parts }
  }
  return tree
}

const LARGE: [name: string, tree: TextQuery][] = [
  [
    '1,024 words',
    parseTextQuery(
      numbers(1024)
        .map(i => `w${i}`)
        .join(' '),
    ),
  ],
  [
    'one of 128 words',
    parseTextQuery(
      numbers(128)
        .map(i => `w${i}`)
        .join(' | '),
    ),
  ],
  [
    'none of 1,024 words',
    parseTextQuery(
      numbers(1024)
        .map(i => `-w${i}`)
        .join(' '),
    ),
  ],
  [
    '128 unions with negations',
    parseTextQuery(
      numbers(128)
        .map(i => (i % 2 === 0 ? `-w${i}` : `w${i}`))
        .join(' | '),
    ),
  ],
  [
    '128 words of two parts',
    parseTextQuery(
      numbers(128)
        .map(i => `w${i}-x`)
        .join(' | '),
    ),
  ],
  [
    '32 prefixes',
    parseTextQuery(
      numbers(32)
        .map(i => `w${i + 10}*`)
        .join(' | '),
    ),
  ],
  [
    '8 fuzzy words',
    parseTextQuery(
      numbers(8)
        .map(i => `v${i}~1`)
        .join(' | '),
    ),
  ],
  [
    'loose phrases',
    parseTextQuery(
      numbers(8)
        .map(i => `"w${i} w${i + 1}"~2`)
        .join(' | '),
    ),
  ],
  ['50 levels', nested(50)],
  ['99 levels', nested(99)],
  ['99 brackets', parseTextQuery(`${'w1 | (w2 -('.repeat(33)}w3${'))'.repeat(33)}`)],
]

describe('large queries', () => {
  test.each(LARGE)('%s', async (_, tree) => {
    const { ids, total } = await search(tree)
    expect(total).toBe(ids.length)
    const expected = corpus.documents.filter(document => matchesText(tree, document.text)).map(document => document.id)
    expect(ids.toSorted()).toEqual(expected.toSorted())
  })

  test('sort and filter with them too', async () => {
    const filters = [{ kind: 'response_status' as const, statuses: [], pending: true }]
    const sort = [{ target: { kind: 'record' as const, property: 'id' as const, as: 'keyword' as const }, order: 'asc' as const }]
    for (const [, tree] of LARGE) {
      const query = { ...toQuery(corpus, {}), text: { tree, field: null } }
      const { total } = await runQuery(corpus, query)
      expect((await runQuery(corpus, { ...query, filters })).total).toBe(total)
      expect((await runQuery(corpus, { ...query, sort })).total).toBe(total)
    }
  })
})

test('the engine says what it is', async () => {
  expect(await ctx.search.info()).toEqual({ engine: 'embedded', sqlite: expect.stringMatching(/^3\.\d+/) })
})
