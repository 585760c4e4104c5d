/**
 * Serves the built web UI. Files are served by name. Every other path outside `/api` that does not look like a file is a page of
 * the application: `index.html` with relative links adjusted to the depth of the path, so that it works below any base URL and
 * behind any proxy that strips a prefix.
 */
import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { fileURLToPath } from 'node:url'
import type { Context } from '../context.ts'
import { answerFile, cacheHeaders } from './answer-file.ts'
import { type Reply, textReply } from './call.ts'
import { pageHeaders, sandboxHeaders } from './page-headers.ts'
import { loadLibraries } from './template-libraries.ts'
import { readWebFiles, toVariant, type WebFile } from './web-files.ts'

export const WEB_FOLDER = fileURLToPath(new URL('../../../web/dist', import.meta.url))

/** Maximum slashes in the path of a page. The application uses up to two; trailing slashes and old URLs add some. */
const PAGE_DEPTH_MAX = 8

export interface WebRequest {
  method: string
  /** As sent, without the query. */
  path: string
  /** The query without its question mark. */
  search: string
  headers: IncomingHttpHeaders
  /** Returns the data to embed in the page of this name, or null. */
  dataFor?(name: string): Promise<Uint8Array> | null
}

/** Returns null if the path does not belong to the web UI. */
export type WebApp = (request: WebRequest) => Reply | null

export function createWebApp({ config, log }: Pick<Context, 'config' | 'log'>, folder: string): WebApp {
  const files = readWebFiles(folder)
  const index = files.get('index.html')
  if (!index) log.warn({ folder }, 'the web UI is not built: its pages are answered with 503')
  const sandbox = sandboxHeaders(config)
  const libraries = loadLibraries(config.templateLibraries)
  const frame = libraries.addListTo(files.get('frame.html'))
  const frameName = toFrameName(frame, [sandbox, pageHeaders(config)])
  const named = { frameName, mediaHosts: config.mediaHosts }
  const page = index ? createPage(index, pageHeaders(config), readHints(files.get('build.json')), named) : () => NOT_BUILT
  // Every other HTML file counts as untrusted. The browser cache keeps compiled code for a page with this origin only.
  const fileHeaders = (name: string) => (name === COMPILE_PAGE ? pageHeaders(config) : name.endsWith('.html') ? sandbox : {})
  return ({ method, path, search, headers, dataFor = () => null }) => {
    if ((method !== 'GET' && method !== 'HEAD') || !path.startsWith(config.baseUrl)) return null
    const name = path.slice(config.baseUrl.length)
    if (/^api(\/|$)/.test(name)) return null
    if (name === 'index.html') return page('', headers)
    if (frame && FRAME_NAME.test(name))
      return answerFile(frame, headers, headersOf(name === frameName, sandboxHeaders(config, search)))
    const library = libraries.answer(name, headers)
    if (library) return library
    const file = files.get(name)
    if (file) return answerFile(file, headers, headersOf(isAsset(name), fileHeaders(name)))
    return looksLikeFile(name) || depthOf(name) > PAGE_DEPTH_MAX
      ? null
      : page(name, headers, method === 'GET' ? dataFor(name) : null)
  }
}

const depthOf = (name: string) => name.split('/').length - 1

/** A name that ends with digits, such as `2.5`, is a version and not a file. */
const looksLikeFile = (name: string) => /\.[a-z][a-z0-9]*$/i.test(name)

/**
 * Name of the template frame, which changes with its content and its policies because browsers cache both. Service workers do not
 * handle frames of an opaque origin, so offline the frame can only come from the browser cache. Open pages of an earlier version
 * use an earlier name: they get the current frame, without long-term caching.
 */
const FRAME_NAME = /^frame-[0-9a-f]{16}\.html$/
const toFrameName = (frame: WebFile | undefined, policies: Record<string, string>[]) =>
  `frame-${hash('sha256', JSON.stringify([frame?.plain.etag, policies])).slice(0, 16)}.html`

/** Runs the scripts of the application without starting it, so that the browser stores their compiled code. */
const COMPILE_PAGE = 'compile.html'

/** Names of assets contain a hash of their content. */
const isAsset = (name: string) => name.startsWith('assets/')
const headersOf = (isImmutable: boolean, others: Record<string, string>) => ({ ...cacheHeaders(isImmutable), ...others })

const NOT_BUILT: Reply = {
  ...textReply(503, 'The web UI is not built. The API works; it is described below api/v1/docs.\n', 'text/plain; charset=utf-8'),
  headers: { 'cache-control': 'no-store' },
}

/** Server settings that are written into the page. */
interface PageSettings {
  frameName: string
  mediaHosts: readonly string[]
}

/** Creates the page for each path depth: `./assets/x.js` becomes `../../assets/x.js` in `dataset/1/settings`. */
function createPage(index: WebFile, others: Record<string, string>, hints: Hint[], { frameName, mediaHosts }: PageSettings) {
  const built = new TextDecoder().decode(index.plain.bytes)
  const text = built
    .replace('content="frame.html"', `content="${frameName}"`)
    // Safe without escaping: the configuration refuses values with a quote or an angle bracket.
    .replace('name="media-hosts" content="https:"', () => `name="media-hosts" content="${mediaHosts.join(' ')}"`)
  const cache = new Map<string, WebFile>()
  const atDepth = (depth: number, hints: readonly string[] = []): WebFile => {
    const key = [depth, ...hints].join(' ')
    const file = cache.get(key)
    if (file) return file
    const moved = withStyles(text, hints).replace(/(\s(?:src|href)=["']?)\.\//g, `$1${'../'.repeat(depth) || './'}`)
    const made = moved === built ? index : { ...index, plain: toVariant(new TextEncoder().encode(moved)), compressed: [] }
    cache.set(key, made)
    return made
  }
  return (name: string, headers: IncomingHttpHeaders, data: Promise<Uint8Array> | null = null): Reply => {
    const depth = depthOf(name)
    const files = hints.find(({ path }) => path.test(name))?.files ?? []
    const link = files.map(file => toLink('../'.repeat(depth) + file)).join(', ')
    const all = link ? { ...others, link } : others
    if (!data) return answerFile(atDepth(depth), headers, headersOf(false, all))
    return withData(atDepth(depth, files), data, all)
  }
}

/**
 * Sends the page immediately, so that the browser loads its scripts while the data is collected. The data comes last: browsers
 * add elements after `</html>` to the body. It belongs to one user and one visit, so it must not be cached.
 */
const withData = ({ contentType, plain }: WebFile, data: Promise<Uint8Array>, headers: Record<string, string>): Reply => ({
  ...{ status: 200, contentType, body: plain.bytes, rest: data },
  headers: { ...headers, 'cache-control': 'no-store' },
})

/** Adds stylesheets that a page needs if it renders its data before the application has started. */
function withStyles(text: string, files: readonly string[]): string {
  const missing = files.filter(file => file.endsWith('.css') && !text.includes(`"./${file}"`))
  const links = missing.map(file => `<link rel="stylesheet" crossorigin href="./${file}">`)
  return links.length === 0 ? text : text.replace('</head>', `${links.join('')}</head>`)
}

/** Files that some pages need first, sent as preload hints so that browsers request them before the application has started. */
interface Hint {
  path: RegExp
  files: string[]
}

function readHints(listing: WebFile | undefined): Hint[] {
  if (!listing) return []
  const { pages } = JSON.parse(new TextDecoder().decode(listing.plain.bytes)) as { pages: { path: string; files: string[] }[] }
  return pages.map(({ path, files }) => ({ path: new RegExp(path), files }))
}

const toLink = (file: string) =>
  file.endsWith('.js') ? `<${file}>; rel=modulepreload` : `<${file}>; rel=preload; as=style; crossorigin`
