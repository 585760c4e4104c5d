/** Settings of the sample dataset, with one field and question of every type. */
import type { DatasetDescription } from '@postil/client'
import { ASPECTS, MENTIONS, MOODS, TOPICS } from './letter.ts'

const GUIDELINES = `# Letters to a bicycle shop

Each record is a **letter** from a customer and the **reply** that a model proposes. Read both, then answer the questions in the margin. Suggestions are marked with a sparkle: keep what is right, change what is not.

| Question | What to look for |
| --- | --- |
| Topic | what the customer wants *solved*, not the first thing they mention |
| Mood | every mood that shows, at least one |
| Rating | 5: send as it is, 3: needs work, 1: do not send |
| Improve first | the worst aspect on rank 1; equal ranks are fine |
| Better reply | in the customer's language |
| Mentions | mark whole words, without the full stop |

## Things to try

1. Press \`1\` to \`9\` to pick options, \`Enter\` to submit, \`Ctrl Z\` to undo.
2. Search for *chain*, or filter by language and by days of waiting.
3. Sort by the value of the order.
4. Open a record about a lost parcel and find similar ones.

> This dataset is made up. No such shop, customer or order exists.
`

const ORDER_TEMPLATE = `<style>
  table { border-collapse: collapse; width: 100%; font-size: 14px; }
  td, th { padding: 4px 8px; border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); text-align: start; }
  td:nth-child(n + 2), th:nth-child(n + 2) { text-align: end; }
  .state { display: inline-block; padding: 0 8px; border: 1px solid currentColor; border-radius: 10px; font-size: 12px; }
</style>
<p><b>Order {{record.fields.order.number}}</b> <span class="state">{{record.fields.order.state}}</span></p>
<table>
  <tr><th>Item</th><th>Count</th><th>Price</th></tr>
  {{#each record.fields.order.items}}
  <tr><td>{{name}}</td><td>{{count}}</td><td>{{price}}</td></tr>
  {{/each}}
</table>`

const WORDS: Record<string, string> = {
  repair: 'Repair',
  delivery: 'Delivery',
  warranty: 'Warranty',
  advice: 'Advice before buying',
  billing: 'Billing',
  praise: 'Praise',
  facts: 'Facts',
  tone: 'Tone',
  next_step: 'Next step',
  length: 'Length',
  order: 'Order number',
}
const capitalized = (value: string) => value.charAt(0).toUpperCase() + value.slice(1)
const options = (values: readonly string[]) => values.map(value => ({ value, text: WORDS[value] ?? capitalized(value) }))

export const VECTOR_NAME = 'topic_and_mood'
export const VECTOR_DIMENSIONS = TOPICS.length + 2

export const SAMPLE_SETTINGS: Omit<DatasetDescription, 'name' | 'workspace'> = {
  guidelines: GUIDELINES,
  distribution: { strategy: 'overlap', min_submitted: 1 },
  fields: [
    { name: 'letter', title: 'Letter', required: true, settings: { type: 'text', use_markdown: false } },
    { name: 'reply', title: 'Proposed reply', required: true, settings: { type: 'text', use_markdown: true } },
    { name: 'chat', title: 'Earlier chat', required: false, settings: { type: 'chat', use_markdown: true } },
    { name: 'picture', title: 'Picture', required: false, settings: { type: 'image' } },
    { name: 'order', title: 'Order', required: false, settings: { type: 'custom', template: ORDER_TEMPLATE } },
  ],
  questions: [
    {
      name: 'topic',
      title: 'What is the letter about?',
      required: true,
      settings: { type: 'label_selection', options: options(TOPICS) },
    },
    {
      name: 'mood',
      title: 'How does the customer feel?',
      description: 'More than one can be right.',
      required: true,
      settings: { type: 'multi_label_selection', options: options(MOODS) },
    },
    {
      name: 'rating',
      title: 'How good is the reply?',
      required: true,
      settings: { type: 'rating', options: [1, 2, 3, 4, 5].map(value => ({ value })) },
    },
    {
      name: 'improve',
      title: 'What should be improved first?',
      required: false,
      settings: { type: 'ranking', options: options(ASPECTS) },
    },
    { name: 'better', title: 'A better reply', required: false, settings: { type: 'text', use_markdown: true } },
    {
      name: 'mentions',
      title: 'What does the letter mention?',
      required: false,
      settings: { type: 'span', field: 'letter', options: options(MENTIONS) },
    },
  ],
  metadata_properties: [
    { name: 'language', title: 'Language', settings: { type: 'terms' } },
    { name: 'days_waiting', title: 'Days waiting', settings: { type: 'integer', min: 0 } },
    { name: 'order_value', title: 'Order value, €', settings: { type: 'float', min: 0 } },
  ],
  vectors_settings: [{ name: VECTOR_NAME, title: 'Topic and mood', dimensions: VECTOR_DIMENSIONS }],
}
