/** Small dataset for the tests of this folder. */
import type { Question } from '@postil/domain/questions'
import { optionsNamed, questionWith } from '../../../../questions/question-fixtures.ts'
import type { Criteria } from '../query/criteria.ts'
import type { Offering } from './offers.ts'

const TIME = '2026-01-01T00:00:00'
const question = (name: string, title: string, settings: Question['settings']): Question => ({
  ...questionWith(settings),
  id: name,
  name,
  title,
})
type Property = Offering['metadataProperties'][number]
const property = (name: string, title: string, settings: Property['settings'], visible = true): Property => ({
  id: name,
  name,
  title,
  settings,
  visible_for_annotators: visible,
  dataset_id: 'd',
  inserted_at: TIME,
  updated_at: TIME,
})

export const OFFERING: Offering = {
  questions: [
    question('intent', 'Intent', { type: 'label_selection', options: optionsNamed('refund', 'other'), visible_options: null }),
    question('topics', 'Topics', {
      type: 'multi_label_selection',
      options: optionsNamed('a', 'b', 'c'),
      visible_options: null,
      options_order: 'natural',
    }),
    question('stars', 'Stars', { type: 'rating', options: [1, 2, 3, 4, 5].map(value => ({ value })) }),
    question('order', 'Order', { type: 'ranking', options: optionsNamed('x', 'y') }),
    question('marks', 'Marks', {
      type: 'span',
      field: 'text',
      options: optionsNamed('PER'),
      visible_options: null,
      allow_overlapping: false,
      allow_character_annotation: true,
    }),
    question('note', 'Note', { type: 'text', use_markdown: false }),
  ],
  metadataProperties: [
    property('lang', 'Language', { type: 'terms', values: ['en', 'de'] }),
    property('length', '', { type: 'integer', min: null, max: null }),
    property('loss', 'Loss', { type: 'float', min: null, max: null }, false),
  ],
}

export const NOTHING: Criteria = { queue: 'pending', search: null, filters: [], sort: [], similarity: null }
