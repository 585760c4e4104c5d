/** Records that must be rejected, with the reason, for each route that writes records. */

/** `base` contains the properties of a valid record. */
export interface RefusedRecord {
  why: string
  item: object
}

const fields = (given: object) => ({ fields: { text: 'A green apple', ...given } })
const withMetadata = (metadata: object) => ({ ...fields({}), metadata })
const longUrl = (length: number) => `https://pics.example/${'x'.repeat(length - 'https://pics.example/'.length)}`
const messages = (count: number) => Array.from({ length: count }, () => ({ role: 'user', content: 'Hi' }))

export const ACCEPTED_FIELDS: { why: string; given: Record<string, unknown>; stored?: Record<string, unknown> }[] = [
  { why: 'an empty required text', given: { text: '' } },
  { why: 'null for optional fields', given: { picture: null, talk: null, page: null, note: null } },
  { why: 'an image by address', given: { picture: 'HTTPS://pics.example/' } },
  { why: 'an address of 2038 characters', given: { picture: longUrl(2038) } },
  { why: 'an image as data', given: { picture: 'data:image/png;base64,AAAA' } },
  { why: 'image data without base64', given: { picture: 'data:image/svg,<svg/>' } },
  { why: 'no messages', given: { talk: [] } },
  {
    why: 'messages with other keys, which are dropped',
    given: { talk: [{ role: 'user', content: 'Hi', name: 'x' }] },
    stored: { talk: [{ role: 'user', content: 'Hi' }] },
  },
  { why: '500 messages', given: { talk: messages(500) } },
  { why: 'a message of 20 000 characters', given: { talk: [{ role: 'r'.repeat(20), content: '👍'.repeat(20_000) }] } },
  { why: 'any object', given: { page: { a: [1, { b: null }], ['__proto__']: 'x' } } },
]

export const REFUSED_FIELDS: RefusedRecord[] = [
  { why: 'no fields', item: { fields: {} } },
  { why: 'a required field missing', item: { fields: { note: 'x' } } },
  { why: 'a required field null', item: fields({ text: null }) },
  { why: 'an unknown field', item: fields({ nothing: 'x' }) },
  { why: 'an object for a text', item: fields({ note: { a: 1 } }) },
  { why: 'messages for a text', item: fields({ note: messages(1) }) },
  { why: 'an object for an image', item: fields({ picture: { a: 1 } }) },
  { why: 'an address without a path', item: fields({ picture: 'http://host' }) },
  { why: 'an address without a host', item: fields({ picture: 'http:///a' }) },
  { why: 'an address of 2039 characters', item: fields({ picture: longUrl(2039) }) },
  { why: 'another scheme', item: fields({ picture: 'ftp://host/a' }) },
  { why: 'no scheme', item: fields({ picture: 'pics/a.png' }) },
  { why: 'data of another type', item: fields({ picture: 'data:image/bmp;base64,AAAA' }) },
  { why: 'data of a type in upper case', item: fields({ picture: 'data:image/PNG;base64,AAAA' }) },
  { why: 'data without a comma', item: fields({ picture: 'data:image/png;base64' }) },
  { why: 'a text for a chat', item: fields({ talk: 'Hi' }) },
  { why: 'an object for a chat', item: fields({ talk: { role: 'user' } }) },
  { why: 'a text for a custom field', item: fields({ page: 'x' }) },
  { why: 'messages for a custom field', item: fields({ page: messages(1) }) },
]

export const REFUSED_METADATA: RefusedRecord[] = [
  { why: 'a term that is not listed', item: withMetadata({ source: 'radio' }) },
  { why: 'a list with such a term', item: withMetadata({ source: ['web', 'radio'] }) },
  { why: 'a fraction for an integer', item: withMetadata({ length: 1.5 }) },
  { why: 'a text for an integer', item: withMetadata({ length: '1' }) },
  { why: 'true for an integer', item: withMetadata({ length: true }) },
  { why: 'an integer below its minimum', item: withMetadata({ length: -1 }) },
  { why: 'an integer above its maximum', item: withMetadata({ length: 101 }) },
  { why: 'a text for a float', item: withMetadata({ weight: '1.5' }) },
  { why: 'an object for a term', item: withMetadata({ hidden: { a: 1 } }) },
]

export const REFUSED_VECTORS: RefusedRecord[] = [
  { why: 'an unknown vector', item: { ...fields({}), vectors: { nothing: [1] } } },
  { why: 'too few numbers', item: { ...fields({}), vectors: { embed: [1, 2] } } },
  { why: 'too many numbers', item: { ...fields({}), vectors: { embed: [1, 2, 3, 4] } } },
]
