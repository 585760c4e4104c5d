/** The records that the tables of engine.contract.ts refer to. */

import type { RecordCreate } from '@postil/domain/records'
import type { Json } from '@postil/domain/schema'
import type { SuggestionCreate } from '@postil/domain/suggestions'
import type { Context, RequestContext } from '../context.ts'
import { flagRecord } from '../features/notes/flags.ts'
import { ANN, addRecords, BEN, type Corpus, createTestDataset, readCorpus } from './corpus.contract.ts'
import type { FollowedDataset } from './source/testing/dataset.ts'

type Seed = Partial<RecordCreate>
type Response = NonNullable<RecordCreate['responses']>[number]
type Answers = { topic?: string[]; stars?: number; note?: string }

/** A prompt with one piece of text. */
const prompt = (text: string) => ({ texts: [text] })

function toResponse({ actor }: RequestContext, status: Response['status'], answers: Answers): Response {
  const given: { [name: string]: Json } = status === 'submitted' ? { ...answers, checked: 'yes' } : answers
  const values = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, { value }]))
  return { user_id: actor.id, status, values } as Response
}

/** The seed records by the names that the tables use. */
function seeds({ questionIds, owner, annotators }: FollowedDataset): { [name: string]: Seed } {
  const [ann, ben] = annotators as [RequestContext, RequestContext]
  const suggestion = (question: string, value: SuggestionCreate['value'], more: Partial<SuggestionCreate> = {}) => ({
    question_id: questionIds.get(question) ?? '',
    value,
    ...more,
  })
  return {
    apple: {
      fields: { prompt: prompt('Green apple pie'), reply: 'It is sweet' },
      metadata: { source: ['web'], length: 3, weight: 0.1 },
      vectors: { embed: [1, 0, 0] },
      responses: [
        toResponse(ann, 'submitted', { topic: ['food'], stars: 4 }),
        toResponse(ben, 'draft', { topic: ['drink'], stars: 2 }),
      ],
      suggestions: [
        suggestion('topic', ['food'], { score: [0.9], agent: 'm1', type: 'model' }),
        suggestion('stars', 4, { type: 'human' }),
      ],
    },
    pear: {
      fields: { prompt: prompt('A green pear'), reply: 'no apple here' },
      metadata: { source: ['book', 'Web'], length: 12, weight: 2.5 },
      vectors: { embed: [0.9, 0.1, 0] },
      responses: [toResponse(ben, 'discarded', { topic: ['food'], note: 'fine' })],
      suggestions: [suggestion('topic', ['drink', 'food'], { score: [0.2, 0.7], agent: 'M1', type: 'model' })],
    },
    fox: {
      fields: { prompt: prompt('The quick brown fox jumps over the lazy dog!') },
      metadata: { source: ['10'], length: -1 },
      vectors: { embed: [-1, 0, 0] },
      suggestions: [suggestion('stars', 2, { score: 0.5, agent: 'm2' })],
    },
    dog: {
      fields: { prompt: prompt('A lazy dog sleeps'), reply: 'fox news' },
      metadata: { source: ['2'], length: 2 ** 53 - 1 },
      responses: [toResponse(ann, 'draft', { stars: 5 })],
    },
    covid: {
      fields: { prompt: prompt("covid-19 and example.com: 12.5 of 1,000 foo_bar don't") },
      vectors: { embed: [0, 1, 0] },
      suggestions: [suggestion('note', 'x')],
    },
    tokyo: { fields: { prompt: prompt('東京タワー ひらがな 😀'), reply: 'café' } },
    chat: { fields: { prompt: { user: ['hello green', 'apple tree'] } } },
    // Completed by the response of another user.
    swap: { fields: { prompt: prompt('apple very green') }, responses: [toResponse(owner, 'submitted', {})] },
  }
}

const FLAGS: [name: string, user: number][] = [
  ['dog', ANN],
  ['dog', BEN],
  ['covid', BEN],
]

export async function createSeededCorpus(ctx: Context): Promise<Corpus> {
  const followed = await createTestDataset(ctx)
  await addRecords(
    followed,
    Object.entries(seeds(followed)).map(([external_id, seed]) => ({ ...seed, external_id })),
  )
  const { documents } = await readCorpus(followed)
  for (const [name, user] of FLAGS) {
    const { id = '' } = documents.find(document => document.external_id === name) ?? {}
    await flagRecord(followed.annotators[user] as RequestContext, id)
  }
  return readCorpus(followed)
}
