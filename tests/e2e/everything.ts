/** A dataset with every type of field, question and metadata, and two more for the home page. */
import { seedAdmin } from './screens-admin.ts'
import { seedInvitation } from './screens-people.ts'
import { label, seed, texts, type World } from './seed.ts'

const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const MARKDOWN = [
  '# Order 66-B\n\n**Late again**, [the shop](https://shop.example/orders) says. `ETA` is $t + 2$.',
  '- one\n- two\n  - three\n\n1. first\n2. second\n\n- [x] packed\n- [ ] sent',
  '| Item | Price |\n|---|---:|\n| Lamp | 12 |\n| Chair with a very long name | 140 |',
  '```js\nconst answer = items.filter(({ price }) => price > 20).map(({ name }) => name)\n```\n\n> A quote\n\n$$\\sum_{i=0}^n i^2$$',
].join('\n\n')
const GUIDELINES =
  '## How to decide\n\nRead the whole letter. *Mixed* is for letters with **both**.\n\n## Names\n\nMark every person.'
const LABELS = ['delivery', 'payment', 'damage', 'praise', 'return', 'price', 'account', 'privacy', 'staff', 'shop']
const options = (values: string[]) => values.map(value => ({ value, text: value, description: null }))

const toRecord = (i: number) => ({
  fields: {
    text: `Letter ${i}: Ada Lovelace wrote to the shop in London about a lamp that never came.`,
    markdown: MARKDOWN,
    chat: [
      { role: 'user', content: 'Where is my lamp?' },
      { role: 'assistant', content: 'It left **yesterday**.' },
    ],
    image: PICTURE,
    card: { name: 'Lamp', price: 12 },
  },
  external_id: `letter-${i}`,
  metadata: { language: i % 2 ? 'de' : 'en', pages: i, score: i / 10 },
  vectors: { meaning: [i, 1] },
})

const PLAN = {
  guidelines: GUIDELINES,
  fields: [
    { name: 'text', title: 'Letter', required: true, settings: { type: 'text' as const, use_markdown: false } },
    { name: 'markdown', title: 'Ticket', required: true, settings: { type: 'text' as const, use_markdown: true } },
    { name: 'chat', title: 'Chat', required: true, settings: { type: 'chat' as const, use_markdown: true } },
    { name: 'image', title: 'Picture', required: true, settings: { type: 'image' as const } },
    {
      name: 'card',
      title: 'Card',
      required: true,
      settings: { type: 'custom' as const, template: '<b>{{record.fields.card.name}}</b>', advanced_mode: false },
    },
  ],
  questions: [
    { ...label('mood', ['good', 'bad', 'mixed']), description: 'The **whole** letter counts.' },
    {
      name: 'topics',
      title: 'Topics',
      required: false,
      settings: {
        type: 'multi_label_selection' as const,
        options: options(LABELS),
        visible_options: 5,
        options_order: 'natural' as const,
      },
    },
    {
      name: 'urgency',
      title: 'Urgency',
      required: true,
      settings: { type: 'rating' as const, options: [0, 1, 2, 3, 4, 5].map(value => ({ value })) },
    },
    {
      name: 'replies',
      title: 'Best reply',
      required: false,
      settings: { type: 'ranking' as const, options: options(['Refund', 'New lamp', 'Sorry']) },
    },
    { name: 'summary', title: 'Summary', required: false, settings: { type: 'text' as const, use_markdown: true } },
    {
      name: 'names',
      title: 'Names',
      required: false,
      settings: {
        type: 'span' as const,
        field: 'text',
        options: options(['person', 'place', 'thing']),
        visible_options: null,
        allow_overlapping: true,
      },
    },
  ],
  metadata: [
    { name: 'language', title: 'Language', settings: { type: 'terms' as const }, visible_for_annotators: true },
    { name: 'pages', title: 'Pages', settings: { type: 'integer' as const }, visible_for_annotators: true },
    { name: 'score', title: 'Score', settings: { type: 'float' as const }, visible_for_annotators: true },
  ],
  vectors: [{ name: 'meaning', title: 'Meaning', dimensions: 2 }],
}

const SUGGESTED: Record<string, { value: unknown; score: number | number[] }> = {
  mood: { value: 'mixed', score: 0 },
  topics: { value: ['delivery', 'damage'], score: [0.9, 0.4] },
  urgency: { value: 3, score: 0.61 },
  replies: {
    value: [
      { value: 'Refund', rank: 1 },
      { value: 'New lamp', rank: 2 },
      { value: 'Sorry', rank: 3 },
    ],
    score: [1, 0.5, 0.2],
  },
  summary: { value: 'A lamp is **late**.', score: 0.5 },
  names: { value: [{ start: 10, end: 22, label: 'person' }], score: [0.8] },
}

export interface Everything {
  /** Webhook with deliveries. */
  webhookId: string
  /** Token of an open invitation. */
  invitation: string
  datasetId: string
  /** In insertion order. */
  recordIds: string[]
  /** Dataset of many records with one question; some are answered, one of them twice and with a comment. */
  manyId: string
  manyName: string
  /** For the first dataset: a word in some records, a filter in URL syntax, a vector. */
  word: string
  filter: string
  vector: string
  /** Answers a record of the second dataset as the annotator, as if from another browser. */
  answerElsewhere(recordId: string): Promise<unknown>
}

export async function seedEverything(world: World, count = 30): Promise<Everything> {
  const datasetId = await seed(world, { name: 'Letters to the shop', ...PLAN, records: [] })
  const params = { dataset_id: datasetId }
  const { items: questions } = await world.owner.listQuestions({ params })
  const suggestions = questions.map(({ id, name }) => ({ question_id: id, agent: 'model-7', ...SUGGESTED[name] }))
  const items = Array.from({ length: count }, (_, i) => ({ ...toRecord(i), ...(i % 2 ? {} : { suggestions }) }))
  const body = { items } as Parameters<typeof world.owner.createRecordsBulk>[0]['body']
  const { items: records } = await world.owner.createRecordsBulk({ params, body })
  await seed(world, { name: 'Empty', questions: [label('mood', ['a', 'b'])], records: [] })
  const webhookId = await seedAdmin(world)
  const invitation = await seedInvitation(world)
  const recordIds = records.map(({ id }) => id)
  // A draft of the owner, so that leads have an answer to read and no record changes its state.
  const values = Object.fromEntries(Object.entries(SUGGESTED).map(([name, { value }]) => [name, { value }]))
  const draft = { status: 'draft', values } as Parameters<typeof world.owner.createResponse>[0]['body']
  await world.owner.createResponse({ params: { record_id: recordIds.at(-1) ?? '' }, body: draft })
  return {
    datasetId,
    recordIds,
    webhookId,
    invitation,
    word: 'lamp',
    filter: 'language.en',
    vector: 'meaning',
    ...(await seedMany(world)),
  }
}

/** More records than can be answered without confirmation. */
const MANY = 150

export async function seedMany(world: World): Promise<Pick<Everything, 'manyId' | 'manyName' | 'answerElsewhere'>> {
  const questions = [label('mood', ['good', 'bad', 'mixed'])]
  // Two responses per record, so that records answered by the annotator stay pending for others.
  const manyName = 'Notes'
  const manyId = await seed(world, { name: manyName, questions, records: texts(MANY), minSubmitted: 2 })
  const { client } = world.annotator
  const { items } = await world.owner.listRecords({ params: { dataset_id: manyId }, query: { limit: 4 } })
  const answer = (record_id: string, value: string, status: 'submitted' | 'draft' | 'discarded' = 'submitted') =>
    client.upsertMyResponsesBulk({ body: { items: [{ record_id, status, values: { mood: { value } } }] } })
  const [first, second, third] = items.map(({ id }) => id)
  if (!first || !second || !third) throw new Error('There are no records')
  await answer(first, 'good')
  await answer(first, 'bad')
  await answer(second, 'good')
  await answer(third, 'mixed', 'draft')
  await client.createRecordComment({
    params: { record_id: first },
    body: { body: 'Is this still one letter? It reads like two.' },
  })
  await world.admin.client.createRecordComment({ params: { record_id: first }, body: { body: 'One. Count the signature.' } })
  return { manyId, manyName, answerElsewhere: recordId => answer(recordId, 'mixed') }
}
