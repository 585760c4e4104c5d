/** The records that the tables of engine.contract.ts speak of. */

import type { Id } from '@postil/domain/schema'
import type { SearchDocument, SearchSuggestion, SearchValue } from '@postil/domain/search/document'
import type { TestContext } from '../testing/context.ts'
import {
  addDocuments,
  blankDocument,
  type Corpus,
  given,
  openCorpus,
  propertyId,
  questionId,
  vectorsId,
} from './corpus.contract.ts'

const suggestion = (values: SearchValue[], scores: number[], agent: string | null, type: string | null): SearchSuggestion => ({
  values,
  scores,
  agent,
  type,
})

interface Seed extends Partial<SearchDocument> {
  prompt?: string | string[]
  reply?: string
  source?: string[]
  length?: number
  weight?: number
  vector?: number[]
}

/** What is found in these stands in the tables below, by name. */
const seeds = (corpus: Corpus): Record<string, Seed> => {
  const topic = questionId(corpus, 'topic')
  const stars = questionId(corpus, 'stars')
  const note = questionId(corpus, 'note')
  const [ann, ben] = corpus.users
  const response = (
    user_id: Id,
    status: 'draft' | 'submitted' | 'discarded',
    label: string | null,
    rating: number | null,
    text: string | null = null,
  ) => ({
    user_id,
    status,
    values: new Map<Id, SearchValue[]>([...given(topic, label), ...given(stars, rating), ...given(note, text)]),
  })
  return {
    apple: {
      prompt: 'Green apple pie',
      reply: 'It is sweet',
      source: ['web'],
      length: 3,
      weight: Math.fround(0.1),
      vector: [1, 0, 0],
      responses: [response(ann, 'submitted', 'food', 4), response(ben, 'draft', 'drink', 2)],
      status: 'completed',
      suggestions: new Map([
        [topic, suggestion(['food'], [0.9], 'm1', 'model')],
        [stars, suggestion([4], [], null, 'human')],
      ]),
    },
    pear: {
      prompt: 'A green pear',
      reply: 'no apple here',
      source: ['book', 'Web'],
      length: 12,
      weight: Math.fround(2.5),
      vector: [0.9, 0.1, 0],
      responses: [response(ben, 'discarded', 'food', null, 'given')],
      suggestions: new Map([[topic, suggestion(['drink', 'food'], [0.2, 0.7], 'M1', 'model')]]),
    },
    fox: {
      prompt: 'The quick brown fox jumps over the lazy dog!',
      source: ['10'],
      length: -1,
      vector: [-1, 0, 0],
      suggestions: new Map([[stars, suggestion([2], [0.5], 'm2', null)]]),
    },
    dog: {
      prompt: 'A lazy dog sleeps',
      reply: 'fox news',
      source: ['2'],
      length: 2 ** 53 - 1,
      responses: [response(ann, 'draft', null, 5)],
      flags: [ann, ben],
    },
    covid: {
      flags: [ben],
      suggestions: new Map([[note, suggestion([], [], null, null)]]),
      prompt: "covid-19 and example.com: 12.5 of 1,000 foo_bar don't",
      vector: [0, 1, 0],
    },
    tokyo: { prompt: '東京タワー ひらがな 😀', reply: 'café' },
    chat: { prompt: ['user', 'hello green', 'apple tree'] },
    swap: { prompt: 'apple very green', status: 'completed' },
  }
}

export async function openSeeded(ctx: TestContext): Promise<Corpus> {
  const corpus = await openCorpus(ctx)
  const documents = Object.entries(seeds(corpus)).map(([name, { prompt, reply, source, length, weight, vector, ...rest }]) => ({
    ...blankDocument(ctx),
    external_id: name,
    text: new Map([...given('prompt', prompt), ...given('reply', reply)]),
    metadata: new Map<Id, SearchValue[]>([
      ...given(propertyId(corpus, 'source'), source),
      ...given(propertyId(corpus, 'length'), length),
      ...given(propertyId(corpus, 'weight'), weight),
    ]),
    vectors: new Map(given(vectorsId(corpus), vector)),
    ...rest,
  }))
  await addDocuments(ctx, corpus, documents)
  return corpus
}
