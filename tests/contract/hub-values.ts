/** Conversion of values for each kind of column and target. */
import type { Columns } from './hub-world.ts'

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const JPEG = Buffer.from('ffd8ffe000104a464946', 'hex')
export const OPTIONAL = { repetition_type: 'OPTIONAL' } as const
const LIST = [
  { ...OPTIONAL, num_children: 1, converted_type: 'LIST' as const },
  { name: 'list', repetition_type: 'REPEATED' as const, num_children: 1 },
] as const
const listOf = (name: string, element: object) => [{ name, ...LIST[0] }, LIST[1], { name: 'element', ...OPTIONAL, ...element }]
export const TEXT = { type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const
const CLASS = { _type: 'ClassLabel', names: ['neg', 'pos'] }

interface Conversion {
  about: string
  columns: Columns
  target: string
  stored: unknown
}

/** Returns one column with a single row to convert. */
const column = (data: unknown[], elements: object[], feature?: unknown): Columns => ({
  columnData: [{ name: 'source', data }],
  schema: [{ name: 'root', num_children: 1 }, ...elements] as NonNullable<Columns['schema']>,
  ...(feature !== undefined && { features: { source: feature } }),
})
const one = (value: unknown, element: object, feature?: unknown) =>
  column([value], [{ name: 'source', ...OPTIONAL, ...element }], feature)
const image = (bytes: Uint8Array | null, path: string | null, feature?: unknown) =>
  column(
    [{ bytes, path }],
    [
      { name: 'source', ...OPTIONAL, num_children: 2 },
      { name: 'bytes', ...OPTIONAL, type: 'BYTE_ARRAY' },
      { name: 'path', ...OPTIONAL, ...TEXT },
    ],
    feature,
  )
const dataUrl = (type: string, bytes: Buffer) => `data:${type};base64,${bytes.toString('base64')}`

export const CONVERSIONS: Conversion[] = [
  { about: 'a class label is its name', columns: one(1, { type: 'INT32' }, CLASS), target: 'question label', stored: 'pos' },
  { about: '-1 is no label', columns: one(-1, { type: 'INT32' }, CLASS), target: 'question label', stored: undefined },
  {
    about: 'class labels of a list',
    columns: column([[0, 1, -1]], listOf('source', { type: 'INT32' }), { feature: CLASS, _type: 'Sequence' }),
    target: 'metadata terms',
    stored: ['neg', 'pos'],
  },
  { about: 'a null is left out', columns: one(null, TEXT), target: 'metadata terms', stored: undefined },
  { about: 'a number for a text field', columns: one(12n, { type: 'INT64' }), target: 'field note', stored: '12' },
  { about: 'a boolean for a text field', columns: one(true, { type: 'BOOLEAN' }), target: 'field note', stored: 'true' },
  { about: 'a number for a text question', columns: one(1.5, { type: 'DOUBLE' }), target: 'question comment', stored: '1.5' },
  { about: 'one label for several', columns: one('a', TEXT), target: 'question labels', stored: ['a'] },
  {
    about: 'several labels',
    columns: column([['a', 'c']], listOf('source', TEXT)),
    target: 'question labels',
    stored: ['a', 'c'],
  },
  { about: 'a text for a rating', columns: one('4', TEXT), target: 'question rating', stored: 4 },
  { about: 'a fraction for a rating', columns: one(4.9, { type: 'DOUBLE' }), target: 'question rating', stored: 4 },
  { about: 'an integer', columns: one(7n, { type: 'INT64' }), target: 'metadata integer', stored: 7 },
  {
    about: 'a number that is not one',
    columns: one(Number.NaN, { type: 'DOUBLE' }),
    target: 'metadata float',
    stored: undefined,
  },
  {
    about: 'a PNG image',
    columns: image(PNG, 'a.png', { _type: 'Image' }),
    target: 'field picture',
    stored: dataUrl('image/png', PNG),
  },
  {
    about: 'a JPEG image',
    columns: image(JPEG, null, { _type: 'Image' }),
    target: 'field picture',
    stored: dataUrl('image/jpeg', JPEG),
  },
  {
    about: 'an image of an unknown kind',
    columns: image(Buffer.from('?'), null, { _type: 'Image' }),
    target: 'field picture',
    stored: dataUrl('image/png', Buffer.from('?')),
  },
  { about: 'an image without its type', columns: image(PNG, null), target: 'field picture', stored: dataUrl('image/png', PNG) },
  {
    about: 'an image by its address',
    columns: image(null, 'https://images.example/a.png', { _type: 'Image' }),
    target: 'field picture',
    stored: 'https://images.example/a.png',
  },
  {
    about: 'messages',
    columns: column(
      [[{ role: 'user', content: 'hi' }]],
      [
        { name: 'source', ...LIST[0] },
        LIST[1],
        { name: 'element', ...OPTIONAL, num_children: 2 },
        { name: 'role', ...OPTIONAL, ...TEXT },
        { name: 'content', ...OPTIONAL, ...TEXT },
      ],
    ),
    target: 'field talk',
    stored: [{ role: 'user', content: 'hi' }],
  },
  { about: 'JSON for a custom field', columns: one('{"a":[1]}', TEXT), target: 'field page', stored: { a: [1] } },
]
