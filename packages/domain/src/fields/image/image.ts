/**
 * An image is a URL: an HTTP URL, or a data URL that contains the image.
 *
 * Only the start of a URL is checked. A data URL may have five million characters, and the browser decodes its payload.
 */
import { codePointLength } from '../../code-points.ts'
import { invalid } from '../../errors.ts'
import { listed } from '../../message-values.ts'
import { OneOf, Shape, type Static } from '../../schema.ts'
import type { FieldType } from '../field-type.ts'

const WEB_URL_LENGTH_MAX = 2038
const DATA_URL_LENGTH_MAX = 5_000_000

/** `image/svg+xml` is the registered type, `image/svg` the one that existing clients send. */
const MEDIA_TYPES = [
  'image/avif',
  'image/gif',
  'image/ico',
  'image/jpeg',
  'image/jpg',
  'image/png',
  'image/svg',
  'image/svg+xml',
  'image/webp',
]

const type = OneOf(['image'])

const settings = Shape({ type })

export const image = {
  name: 'image',
  settings,
  settingsCreate: settings,
  settingsUpdate: settings,
  checkValue(value, fieldName) {
    const problem = typeof value === 'string' ? urlProblem(value) : 'expects a URL as a text'
    if (problem !== null) throw invalid(`Field \`${fieldName}\` ${problem}`)
  },
  toStored: value => value,
  // The reference server uses the length of the URL, so spans over image fields stay compatible with its clients.
  spanLength: value => (typeof value === 'string' ? codePointLength(value) : null),
  column: { type: 'image', read: value => value },
  searchable: false,
  toText: () => [],
  toMarked: () => null,
} satisfies FieldType<Static<typeof settings>>

function urlProblem(url: string): string | null {
  const scheme = /^[a-z][a-z\d+.-]{0,20}:/i.exec(url)?.[0].toLowerCase()
  if (scheme === 'data:') return dataUrlProblem(url)
  if (scheme === 'http:' || scheme === 'https:') return webUrlProblem(url)
  return 'expects a URL that begins with `http:`, `https:` or `data:`'
}

function webUrlProblem(url: string): string | null {
  if (isLongerThan(url, WEB_URL_LENGTH_MAX)) return `expects a URL of at most ${WEB_URL_LENGTH_MAX} characters`
  // Checks for the path first, because the URL parser would add the missing path to `http://host`.
  const hasHostAndPath = /^https?:\/\/[^/?#]+\//i.test(url) && URL.canParse(url)
  return hasHostAndPath ? null : 'expects a URL with a host and a path'
}

function dataUrlProblem(url: string): string | null {
  if (isLongerThan(url, DATA_URL_LENGTH_MAX)) return `expects a data URL of at most ${DATA_URL_LENGTH_MAX} characters`
  const comma = url.indexOf(',')
  if (comma === -1) return 'expects a data URL with a comma before its content'
  const [mediaType = ''] = url.slice('data:'.length, comma).split(';', 1)
  return MEDIA_TYPES.includes(mediaType) ? null : `expects a data URL of one of these types: ${listed(MEDIA_TYPES)}`
}

/** Counting code points is slow, and only necessary for texts with more code units than allowed. */
const isLongerThan = (text: string, max: number) => text.length > max && codePointLength(text) > max
