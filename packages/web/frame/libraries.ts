/** Scripts and styles that a template asks for elsewhere: they come from the server's own copies, checked by their hash. */

export interface Copies {
  /** Where they are, with a slash at the end. */
  at: string
  /** Address without its scheme -> hash. */
  hashes: Readonly<Record<string, string>>
}

/** Null when the server has none. */
export function readCopies(page: Document): Copies | null {
  const content = page.querySelector<HTMLMetaElement>('meta[name=libraries]')?.content
  if (!content) return null
  const { version, hashes } = JSON.parse(content) as { version: string; hashes: Record<string, string> }
  return { at: new URL(`libraries/${version}/`, page.URL).href, hashes }
}

const TAG = /<(?:script|link)\b(?:"[^"]*"|'[^']*'|[^>"'])*>/gi
const SOURCE = /(?<=\s(?:src|href)\s*=\s*["']?)(?:https?:)?\/\/[^\s"'>]+/i
/** Two slashes stand in pictures written as data too, and what follows them there has no end. */
const ADDRESS = /(?:https?:)?\/\/[^\s"'`<>()\\]{1,2000}/gi
const isLoaded = (tag: string) => /^<script/i.test(tag) || /\srel\s*=\s*["']?stylesheet\b/i.test(tag)

/** The template with the addresses of copies, and the addresses in its tags that there is no copy of. */
export function withCopies(template: string, copies: Copies | null): { template: string; missing: string[] } {
  const missing: string[] = []
  const withHashes = template.replace(TAG, tag => {
    const address = isLoaded(tag) ? SOURCE.exec(tag)?.[0] : undefined
    if (address === undefined) return tag
    const name = nameOf(address)
    const hash = copies && Object.hasOwn(copies.hashes, name) ? copies.hashes[name] : undefined
    if (hash !== undefined) return withAttributes(tag, hash)
    missing.push(address)
    // An address that the browser would refuse is not tried: the template hears that it failed.
    return tag.replace(SOURCE, '')
  })
  if (copies === null) return { template: withHashes, missing }
  // Imports of modules too, and whatever else names one of them.
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

/** What an author checks by a hash of their own stays as it is. */
function withAttributes(tag: string, hash: string): string {
  const added = [
    ...(/\sintegrity\s*=/i.test(tag) ? [] : [`integrity="${hash}"`]),
    ...(/\scrossorigin\b/i.test(tag) ? [] : ['crossorigin="anonymous"']),
  ]
  return tag.replace(/^<\w+/, start => [start, ...added].join(' '))
}
