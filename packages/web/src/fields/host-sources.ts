/** Value of `SERVICE_MEDIA_HOSTS` in the page, as sources in CSP syntax. */

export const hostSources = (): string[] =>
  document.querySelector<HTMLMetaElement>('meta[name=media-hosts]')?.content.split(' ').filter(Boolean) ?? []

const SOURCE = /^(?:(https?):\/\/)?(\*\.)?([^/:*[\]]+|\[[^\]]+\])(?::(\d+|\*))?(\/.*)?$/i

/** False for `https:` and `*`, which do not name a host. */
export const isNamed = (source: string): boolean => SOURCE.test(source) && !/^[a-z][a-z0-9+.-]*:$/i.test(source)

const DEFAULT_PORTS: Record<string, string> = { 'http:': '80', 'https:': '443' }
const portOf = ({ port, protocol }: URL) => port || DEFAULT_PORTS[protocol]

/** Matches a source as browsers do. A source for http also matches https. */
export function matchesSource(source: string, url: URL): boolean {
  if (source === '*') return true
  if (source.endsWith(':')) return source === url.protocol || (source === 'http:' && url.protocol === 'https:')
  const [, scheme, wildcard, host = '', port, path = ''] = SOURCE.exec(source) ?? []
  const name = host.toLowerCase()
  const isHost = wildcard ? url.hostname.endsWith(`.${name}`) : url.hostname === name
  const isScheme = scheme === undefined || scheme === 'http' || url.protocol === 'https:'
  const isPort = port === '*' || portOf(url) === (port ?? DEFAULT_PORTS[url.protocol])
  const isPath = path.endsWith('/') || path === '' ? url.pathname.startsWith(path) : url.pathname === path
  return isHost && isScheme && isPort && isPath
}
