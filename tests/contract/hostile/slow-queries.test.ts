/**
 * Query texts designed to be slow. Any member may search, and other requests wait meanwhile. The server responds after little
 * processor time, or rejects the query with the exceeded limit.
 */
import type { Dataset } from '@postil/domain/datasets'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LABEL_QUESTION, TEXT_FIELD } from '../datasets.ts'
import { fresh } from '../http.ts'
import { HANG_MS, measured } from '../server-work.ts'
import { expectUnprocessable, openTarget, type Target, within } from './target.ts'

const PROCESSOR_MS_MAX = 10_000
const TOO_MUCH = /query\.text\.q/

let target: Target
let path = ''
async function open(): Promise<void> {
  target = await openTarget()
  const dataset = await target.owner.done<Dataset>('POST /datasets', { name: fresh('slow'), workspace_id: target.workspaceId })
  path = `/datasets/${dataset.id}`
  await target.owner.done(`POST ${path}/fields`, TEXT_FIELD)
  await target.owner.done(`POST ${path}/questions`, LABEL_QUESTION)
  await target.owner.done(`PUT ${path}/publish`)
  const text = (i: number) => `word${i} the quick brown fox ${'the '.repeat(500)} ${'京'.repeat(100)} ${'👍'.repeat(100)}`
  const items = Array.from({ length: 200 }, (_, i) => ({ fields: { text: text(i) } }))
  await target.owner.done(`POST ${path}/records/bulk`, { items })
}
beforeAll(open)
afterAll(() => target?.close())

const KB_100 = 100_000
const numbered = (count: number, word: (i: number) => string, between = ' ') =>
  Array.from({ length: count }, (_, i) => word(i)).join(between)

const TEXTS: [what: string, q: string][] = [
  ['ten thousand operators', '+|-'.repeat(10_000)],
  ['ten thousand operators between words', numbered(10_000, () => 'a', ' + ')],
  ['fifty thousand brackets', `${'('.repeat(50_000)}fox${')'.repeat(50_000)}`],
  ['fifty thousand brackets that never close', `${'('.repeat(50_000)}fox`],
  ['five thousand negations', `${'-('.repeat(5_000)}fox${')'.repeat(5_000)}`],
  ['a hundred thousand quotes', '"'.repeat(KB_100)],
  ['a hundred thousand backslashes', '\\'.repeat(KB_100)],
  ['a hundred thousand stars', '*'.repeat(KB_100)],
  ['a hundred thousand tildes', `fox${'~'.repeat(KB_100)}`],
  ['a word of 100 KB', 'a'.repeat(KB_100)],
  ['a prefix of 100 KB', `${'a'.repeat(KB_100)}*`],
  ['a misspelt word of 100 KB', `${'a'.repeat(KB_100)}~2`],
  ['twenty thousand words', 'fox '.repeat(20_000)],
  ['one common word, a thousand times', 'the '.repeat(1_000)],
  ['one common word or itself, a thousand times', numbered(1_000, () => 'the', ' | ')],
  ['a thousand misspelt words', numbered(1_000, i => `word${i}~2`, ' | ')],
  ['a thousand prefixes', numbered(1_000, i => `w${i}*`, ' | ')],
  ['a thousand words', numbered(1_000, i => `word${i}`, ' | ')],
  ['a thousand negations', numbered(1_000, i => `-word${i}`)],
  ['marks of 100 KB on one letter', `e${'\u0301'.repeat(KB_100 / 2)}`],
  ['a phrase of 20,000 words', `"${numbered(20_000, i => `w${i}`)}"`],
  ['a phrase of one word, 25,000 times', `"${'the '.repeat(25_000)}"`],
  ['a phrase of one word, 2,000 times', `"${'the '.repeat(2_000)}"`],
  ['100 KB of Han', '京東'.repeat(16_000)],
  ['25,000 emoji', '👍'.repeat(25_000)],
  ['500 emoji', '👍'.repeat(500)],
  ['2,000 emoji', '👍'.repeat(2_000)],
  ['2,000 words joined by hyphens', 'a-b-'.repeat(1_000)],
  ['50,000 words joined by hyphens', 'a-b-'.repeat(25_000)],
  ['a loose phrase of ten common words', `"${'the '.repeat(10)}"~1000000`],
  ['a loose phrase of 60 common words', `"${'the '.repeat(60)}"~1000000`],
  ['16 loose phrases of common words', numbered(16, () => '"the the the fox"~50', ' | ')],
  ['a loose phrase of 200 common words', `"${'the '.repeat(200)}"~1000000`],
  ['500 loose phrases', numbered(500, i => `"the quick fox${i}"~50`, ' | ')],
  ['100 loose phrases of common words', numbered(100, () => '"the the the fox"~50', ' | ')],
]

describe('is answered in time:', () => {
  test.each(TEXTS)('%s', async (_, q) => {
    try {
      const search = () => target.owner.send(`POST ${path}/records/search`, { query: { text: { q } } })
      const { result, ms } = await measured(target.server, () => within(HANG_MS, search()))
      if (result.status !== 200) expectUnprocessable(result, TOO_MUCH)
      expect(ms).toBeLessThan(PROCESSOR_MS_MAX)
      expect((await within(HANG_MS, target.owner.send(`GET ${path}/records?limit=1`))).status).toBe(200)
    } catch (error) {
      // A server that is still busy would also fail the next test.
      await target.server.kill()
      await open()
      throw error
    }
  })
})
