import { tokenize } from '@postil/domain/search/tokens'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestContext, type TestContext } from '../../testing/context.ts'
import { addRecords, type Corpus, createTestDataset, readCorpus, runQuery, textField, toQuery } from '../corpus.contract.ts'

const TEXTS = [
  'green apple',
  'green green pear and more words to make it long',
  'apple apple apple pie',
  'fox',
  'green fox',
  'a green thing',
  'blue thing',
]

let ctx: TestContext
let corpus: Corpus
beforeAll(async () => {
  ctx = await openTestContext()
  // A single text field, for which scores are exact.
  const dataset = await createTestDataset(ctx, [textField('text')])
  await addRecords(
    dataset,
    TEXTS.map(text => ({ external_id: text, fields: { text } })),
  )
  corpus = await readCorpus(dataset)
})
afterAll(() => ctx.close())

const lengths = TEXTS.map(text => tokenize(text).length)
const average = lengths.reduce((sum, length) => sum + length, 0) / TEXTS.length

/** The formula of the contract for a word that occurs `count(text)` times in a text. */
function wordScore(text: string, count: (text: string) => number): number {
  const holding = TEXTS.filter(other => count(other) > 0).length
  const idf = Math.log(1 + (TEXTS.length - holding + 0.5) / (holding + 0.5))
  const tf = count(text)
  return (2.2 * idf * tf) / (tf + 1.2 * (0.25 + (0.75 * tokenize(text).length) / average))
}
const word = (wanted: string) => (text: string) =>
  wordScore(text, other => tokenize(other).filter(token => token === wanted).length)

async function scoresOf(q: string, sort = false): Promise<Map<string, number | null>> {
  const entry = { scope: { entity: 'record' as const, property: 'id' as const }, order: 'asc' as const }
  const { ids, scores } = await runQuery(corpus, toQuery(corpus, { query: { text: { q } }, ...(sort ? { sort: [entry] } : {}) }))
  const nameOf = (id: string) => corpus.documents.find(document => document.id === id)?.external_id ?? ''
  return new Map(ids.map((id, i) => [nameOf(id), scores[i] ?? null]))
}

describe('the score', () => {
  const both = (text: string) => word('green')(text) + word('apple')(text)
  test.each<[q: string, expected: (text: string) => number]>([
    ['apple', word('apple')],
    // Occurs in more than half of the records, where some formulas result in 0.
    ['green', word('green')],
    ['green apple', both],
    ['green | apple', both],
    ['(green | apple) -pie', both],
    ['appl*', () => 1],
    ['green | fo*', text => word('green')(text) + (text.includes('fox') ? 1 : 0)],
    ['aple~1', text => word('apple')(text) * (1 - 1 / 4)],
    ['-green', () => 1],
    ['fox | -thing', text => 1 + word('fox')(text)],
  ])('of `%s` follows the formula, and the order follows the score', async (q, expected) => {
    const scores = await scoresOf(q)
    expect(scores.size).toBeGreaterThan(0)
    for (const [text, score] of scores) expect(score, text).toBeCloseTo(expected(text), 2)
    expect([...scores.values()]).toEqual([...scores.values()].toSorted((a, b) => Number(b) - Number(a)))
  })

  test('is null where another order was asked for', async () => {
    expect([...(await scoresOf('green', true)).values()]).toEqual([null, null, null, null])
  })
})
