/** Replaces the external scripts and styles of a template with the server's own copies, verified by hash. */

export interface LibraryCopies {
  /** Base URL of the copies, with a trailing slash. */
  at: string
  /** URL without its scheme -> hash. */
  hashes: Readonly<Record<string, string>>
}

/** Returns null if the server has no copies. */
export function readCopies(page: Document): LibraryCopies | null {
  const content = page.querySelector<HTMLMetaElement>('meta[name=libraries]')?.content
  if (!content) return null
  const { version, hashes } = JSON.parse(content) as { version: string; hashes: Record<string, string> }
  return { at: new URL(`libraries/${version}/`, page.URL).href, hashes }
}

const TAG = /<(?:script|link)\b(?:"[^"]*"|'[^']*'|[^>"'])*>/gi
const SOURCE = /(?<=\s(?:src|href)\s*=\s*["']?)(?:https?:)?\/\/[^\s"'>]+/i
/** Limited in length, because data URLs can contain `//` followed by very long text. */
const ADDRESS = /(?:https?:)?\/\/[^\s"'`<>()\\]{1,2000}/gi
const isLoaded = (tag: string) => /^<script/i.test(tag) || /\srel\s*=\s*["']?stylesheet\b/i.test(tag)

/** Returns the template with URLs of copies, and the URLs in its tags that have no copy. */
export function withCopies(template: string, copies: LibraryCopies | null): { template: string; missing: string[] } {
  const missing: string[] = []
  const withHashes = template.replace(TAG, tag => {
    const address = isLoaded(tag) ? SOURCE.exec(tag)?.[0] : undefined
    if (address === undefined) return tag
    const name = nameOf(address)
    const hash = copies && Object.hasOwn(copies.hashes, name) ? copies.hashes[name] : undefined
    if (hash !== undefined) return withAttributes(tag, hash)
    missing.push(address)
    // The CSP would block this URL, so it is removed. The template still receives an `error` event.
    return tag.replace(SOURCE, '')
  })
  if (copies === null) return { template: withHashes, missing }
  // Also covers module imports and every other mention of a library's URL.
  const moved = withHashes.replace(ADDRESS, address => {
    const name = nameOf(address)
    return Object.hasOwn(copies.hashes, name) ? copies.at + name.split('/').map(encodeURIComponent).join('/') : address
  })
  return { template: moved, missing }
}

function nameOf(address: string): string {
  if (!URL.canParse(address, 'https://host')) return ''
  const { host, pathname } = new URL(address, 'https://host')
  try {
    return host + decodeURIComponent(pathname)
  } catch {
    return host + pathname
  }
}

/** Adds `integrity` and `crossorigin`, but keeps the author's own values. */
function withAttributes(tag: string, hash: string): string {
  const added = [
    ...(/\sintegrity\s*=/i.test(tag) ? [] : [`integrity="${hash}"`]),
    ...(/\scrossorigin\b/i.test(tag) ? [] : ['crossorigin="anonymous"']),
  ]
  return tag.replace(/^<\w+/, start => [start, ...added].join(' '))
}
