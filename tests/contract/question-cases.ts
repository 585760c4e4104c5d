/** Settings of fields and questions: as sent, as stored, and the problems of invalid ones. */
import type { ShapeProblemAt } from './answers.ts'
import { toOptions } from './datasets.ts'

interface Given {
  type?: string
  [key: string]: unknown
}

/** Options `v0`, `v1`, … */
export const letters = (count: number) => toOptions(Array.from({ length: count }, (_, i) => `v${i}`))
const stored = (count: number) => letters(count).map(option => ({ ...option, description: null }))
const ratings = (values: number[]) => values.map(value => ({ value }))

export const FIELD_SETTINGS = [
  { given: { type: 'text' }, stored: { type: 'text', use_markdown: false } },
  { given: { type: 'text', use_markdown: 'yes' }, stored: { type: 'text', use_markdown: true } },
  { given: { type: 'image', use_markdown: true }, stored: { type: 'image' } },
  { given: { type: 'chat' }, stored: { type: 'chat', use_markdown: true } },
  { given: { type: 'custom', template: '' }, stored: { type: 'custom', template: '', advanced_mode: false } },
  {
    given: { type: 'custom', template: '<b>', advanced_mode: true },
    stored: { type: 'custom', template: '<b>', advanced_mode: true },
  },
]

const label = { type: 'label_selection' }
const multi = { type: 'multi_label_selection' }
const ranking = { type: 'ranking' }
const span = { type: 'span', field: 'text' }
const spanStored = { ...span, visible_options: null, allow_overlapping: false, allow_character_annotation: true }

export const QUESTION_SETTINGS: { why: string; given: Given; stored: object }[] = [
  { why: 'plain', given: { type: 'text' }, stored: { type: 'text', use_markdown: false } },
  {
    why: 'values in any order, with gaps, from 0 to 10',
    given: { type: 'rating', options: ratings([10, 0, 5]) },
    stored: { type: 'rating', options: ratings([10, 0, 5]) },
  },
  {
    why: 'eleven values',
    given: { type: 'rating', options: ratings([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) },
    stored: { type: 'rating', options: ratings([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) },
  },
  ...(
    [
      ['two labels', { ...label, options: letters(2) }, { ...label, options: stored(2), visible_options: null }],
      ['20 labels, none hidden', { ...label, options: letters(20) }, { ...label, options: stored(20), visible_options: null }],
      ['21 labels, 20 visible', { ...label, options: letters(21) }, { ...label, options: stored(21), visible_options: 20 }],
      [
        '21 labels, all visible on demand',
        { ...label, options: letters(21), visible_options: null },
        { ...label, options: stored(21), visible_options: null },
      ],
      [
        'the old word for visible',
        { ...label, options: letters(5), visible_labels: 3 },
        { ...label, options: stored(5), visible_options: 3 },
      ],
      ['500 labels', { ...label, options: letters(500) }, { ...label, options: stored(500), visible_options: 20 }],
      [
        'an order of its own',
        { ...multi, options: letters(3) },
        { ...multi, options: stored(3), visible_options: null, options_order: 'natural' },
      ],
      [
        'the old word for the order',
        { ...multi, options: letters(3), labels_order: 'suggestion' },
        { ...multi, options: stored(3), visible_options: null, options_order: 'suggestion' },
      ],
      ['50 ranks', { ...ranking, options: letters(50) }, { ...ranking, options: stored(50) }],
      ['one option', { ...span, options: letters(1) }, { ...spanStored, options: stored(1) }],
      [
        'overlapping',
        { ...span, options: letters(3), visible_options: 3, allow_overlapping: true, allow_character_annotation: false },
        { ...spanStored, options: stored(3), visible_options: 3, allow_overlapping: true },
      ],
    ] as [string, Given, object][]
  ).map(([why, given, expected]) => ({ why, given, stored: expected })),
]

const problem = (why: string, given: Given, type: string, ...loc: (string | number)[]) => ({
  why,
  given,
  problems: [[type, 'body', 'settings', ...loc]] as ShapeProblemAt[],
})

export const SETTINGS_PROBLEMS = [
  problem('settings without a type', {}, 'union_tag_not_found'),
  problem('an unknown type', { type: 'slider' }, 'union_tag_invalid'),
  problem('one rating', { type: 'rating', options: ratings([1]) }, 'too_short', 'rating', 'options'),
  problem('twelve ratings', { type: 'rating', options: ratings(Array(12).fill(1)) }, 'too_long', 'rating', 'options'),
  problem('one label', { ...label, options: letters(1) }, 'too_short', label.type, 'options'),
  problem('501 labels', { ...label, options: letters(501) }, 'too_long', label.type, 'options'),
  problem('501 labels of many', { ...multi, options: letters(501) }, 'too_long', multi.type, 'options'),
  problem('501 span labels', { ...span, options: letters(501) }, 'too_long', 'span', 'options'),
  problem('no span label', { ...span, options: [] }, 'too_short', 'span', 'options'),
  problem('51 ranks', { ...ranking, options: letters(51) }, 'too_long', 'ranking', 'options'),
  problem('a label twice', { ...label, options: [...letters(2), ...letters(1)] }, 'value_error', label.type),
  problem('a rank twice', { ...ranking, options: [...letters(2), ...letters(1)] }, 'value_error', 'ranking'),
  problem('a span label twice', { ...span, options: [...letters(2), ...letters(1)] }, 'value_error', 'span'),
  problem(
    'two visible',
    { ...label, options: letters(3), visible_options: 2 },
    'greater_than_equal',
    label.type,
    'visible_options',
  ),
  problem('more visible than there are', { ...label, options: letters(3), visible_options: 4 }, 'value_error', label.type),
  problem('three visible of two', { ...label, options: letters(2), visible_options: 3 }, 'value_error', label.type),
  problem('an unknown order', { ...multi, options: letters(2), options_order: 'any' }, 'enum', multi.type, 'options_order'),
  problem('a span without a field', { type: 'span', options: letters(1) }, 'missing', 'span', 'field'),
  problem(
    'an empty value',
    { ...label, options: [...letters(2), { value: '', text: 'E' }] },
    'string_too_short',
    label.type,
    'options',
    2,
    'value',
  ),
  problem(
    'a long text',
    { ...span, options: [{ value: 'a', text: 'x'.repeat(501) }] },
    'string_too_long',
    'span',
    'options',
    0,
    'text',
  ),
]
