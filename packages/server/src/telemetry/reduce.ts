/**
 * Reduces request headers to values that cannot identify a person, because clients may send anything in them. Only the products
 * listed below and language tags are reported.
 */

/** Clients and browsers that reports distinguish. */
const PRODUCTS = new Map(
  [
    'Argilla',
    'argilla-sdk',
    'Chrome',
    'curl',
    'Edg',
    'Firefox',
    'Go-http-client',
    'node',
    'OPR',
    'postil',
    'python-httpx',
    'python-requests',
    'Safari',
    'undici',
    'Wget',
  ].map(name => [name.toLowerCase(), name]),
)

/** Longer headers are truncated before they are parsed. */
const HEADER_MAX = 500
const PRODUCTS_MAX = 4
const LANGUAGES_MAX = 3

/** Returns known products with their major version, for example `Chrome/131 Safari/537`, or `other` if there are none. */
export function reduceUserAgent(header: string | undefined): string | null {
  if (!header?.trim()) return null
  const found = header
    .slice(0, HEADER_MAX)
    .split(/[\s;()]+/)
    .flatMap(token => toProduct(token) ?? [])
  return found.length === 0 ? 'other' : [...new Set(found)].slice(0, PRODUCTS_MAX).join(' ')
}

function toProduct(token: string): string | null {
  const [name = '', version = ''] = token.split('/')
  const product = PRODUCTS.get(name.toLowerCase())
  if (product === undefined) return null
  const major = /^\d{1,4}(?=$|\.)/.exec(version)?.[0]
  return major === undefined ? product : `${product}/${major}`
}

/** Returns languages in the given order, for example `de-CH, en`, without weights and without subtags other than the country. */
export function reduceAcceptLanguage(header: string | undefined): string | null {
  if (!header?.trim()) return null
  const found = header
    .slice(0, HEADER_MAX)
    .split(',')
    .flatMap(part => /^\s*([a-z]{2,3}(?:-[a-z]{2})?)\s*(?:;|$)/i.exec(part)?.[1] ?? [])
  return found.length === 0 ? 'other' : found.slice(0, LANGUAGES_MAX).map(toTag).join(', ')
}

function toTag(tag: string): string {
  const [language = '', country] = tag.split('-')
  return country === undefined ? language.toLowerCase() : `${language.toLowerCase()}-${country.toUpperCase()}`
}
