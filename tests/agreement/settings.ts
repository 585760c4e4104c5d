/**
 * The settings of the compared dataset: every type of field, question and metadata property, with names that could collide in an
 * index (`status`, `user_id`), that look like paths (dots), that need escaping (quotes), or that have the maximum length.
 */
import type { FieldCreate } from '@postil/domain/fields'
import type { MetadataPropertyCreate } from '@postil/domain/metadata-properties'
import type { QuestionCreate } from '@postil/domain/questions'
import type { VectorsSettingsCreate } from '@postil/domain/vectors'

/** The longest valid name. */
export const LONG_NAME = 'long name '.repeat(20)

export const FIELD = {
  text: 'text',
  dotted: 'a.b "c"',
  inherited: 'constructor',
  talk: 'id',
  page: 'page 😀',
  picture: 'vectors',
}

export const FIELDS: FieldCreate[] = [
  { name: FIELD.text, title: 'Text', required: true, settings: { type: 'text' } },
  { name: FIELD.dotted, title: 'Dotted', settings: { type: 'text' } },
  { name: FIELD.inherited, title: 'Inherited', settings: { type: 'text' } },
  { name: FIELD.talk, title: 'Talk', settings: { type: 'chat' } },
  { name: FIELD.page, title: 'Page', settings: { type: 'custom', template: '<p>' } },
  { name: FIELD.picture, title: 'Picture', settings: { type: 'image' } },
]

/** Names of questions. `status` and `user_id` are also property names of a response. */
export const QUESTION = {
  label: 'status',
  labels: 'user_id',
  rating: LONG_NAME,
  otherRating: '__proto__',
  ranking: 'order.of "things"',
  span: 'toString',
  text: 'comment 漢字',
}

export const LABELS = ['submitted', 'draft', 'a.b', '"quoted"', '💡']
export const TOPICS = ['food', 'Food', 'drink', 'ÉTÉ', 'été']
export const RATINGS = [0, 1, 2, 3, 5, 10]
export const RANKED = ['first', 'second', 'third']
export const SPANS = ['person', 'place', 'constructor']

const toOptions = (values: string[]) => values.map(value => ({ value, text: value }))

export const QUESTIONS: QuestionCreate[] = [
  {
    name: QUESTION.label,
    title: 'Label',
    required: true,
    settings: { type: 'label_selection', options: toOptions(LABELS) },
  },
  { name: QUESTION.labels, title: 'Labels', settings: { type: 'multi_label_selection', options: toOptions(TOPICS) } },
  { name: QUESTION.rating, title: 'Rating', settings: { type: 'rating', options: RATINGS.map(value => ({ value })) } },
  { name: QUESTION.otherRating, title: 'Other', settings: { type: 'rating', options: RATINGS.map(value => ({ value })) } },
  { name: QUESTION.ranking, title: 'Ranking', settings: { type: 'ranking', options: toOptions(RANKED) } },
  { name: QUESTION.span, title: 'Span', settings: { type: 'span', field: FIELD.text, options: toOptions(SPANS) } },
  { name: QUESTION.text, title: 'Comment', settings: { type: 'text' } },
]

export const PROPERTY = {
  source: 'source',
  free: 'id',
  hidden: 'hidden "from" annotators',
  long: LONG_NAME,
  integer: 'length.in.words',
  float: 'weight',
  empty: 'never given',
  late: 'external_id',
}

export const SOURCES = ['web', 'mail', 'book']

export const PROPERTIES: MetadataPropertyCreate[] = [
  { name: PROPERTY.source, title: 'Source', settings: { type: 'terms', values: SOURCES } },
  { name: PROPERTY.free, title: 'Free', settings: { type: 'terms', values: null } },
  { name: PROPERTY.hidden, title: 'Hidden', settings: { type: 'terms', values: null }, visible_for_annotators: false },
  { name: PROPERTY.long, title: 'Long', settings: { type: 'terms', values: null } },
  { name: PROPERTY.integer, title: 'Length', settings: { type: 'integer', min: null, max: null } },
  { name: PROPERTY.float, title: 'Weight', settings: { type: 'float', min: null, max: null } },
  { name: PROPERTY.empty, title: 'Empty', settings: { type: 'integer', min: null, max: null } },
]

/** Added after records have its values as extra metadata, some of which it does not accept. */
export const LATE_PROPERTY: MetadataPropertyCreate = {
  name: PROPERTY.late,
  title: 'Late',
  settings: { type: 'integer', min: null, max: null },
}

export const VECTOR = { four: 'embed', two: 'responses.id', late: 'late vectors' }

export const VECTORS: VectorsSettingsCreate[] = [
  { name: VECTOR.four, title: 'Embed', dimensions: 4 },
  { name: VECTOR.two, title: 'Two', dimensions: 2 },
]

/** Added after the first records. */
export const LATE_VECTORS: VectorsSettingsCreate = { name: VECTOR.late, title: 'Late', dimensions: 3 }
