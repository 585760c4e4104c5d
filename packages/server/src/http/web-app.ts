/**
 * Serves the built web UI. Files are answered by their name; every other path outside `/api` that does not look like a
 * file is a page of the application: its one `index.html`, with links that lead up from there. So it works below any base
 * URL and behind any proxy that cuts a prefix off.
 */
import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { fileURLToPath } from 'node:url'
import type { Context } from '../context.ts'
import { answerFile, keptFor } from './answer-file.ts'
import { type Reply, textReply } from './call.ts'
import { pageHeaders, sandboxHeaders } from './page-headers.ts'
import { openLibraries } from './template-libraries.ts'
import { readWebFiles, toVariant, type WebFile } from './web-files.ts'

export const WEB_FOLDER = fileURLToPath(new URL('../../../web/dist', import.meta.url))

/** Slashes in the path of a page. The application has pages with two; a trailing slash and older addresses add some. */
const PAGE_DEPTH_MAX = 8

export interface WebRequest {
  method: string
  /** As sent, without the query. */
  path: string
  /** The query, without its question mark. */
  search: string
  headers: IncomingHttpHeaders
}

/** Null when the web UI has nothing to say to it. */
export type WebApp = (request: WebRequest) => Reply | null

export function openWebApp({ config, log }: Pick<Context, 'config' | 'log'>, folder: string): WebApp {
  const files = readWebFiles(folder)
  const index = files.get('index.html')
  if (!index) log.warn({ folder }, 'the web UI is not built: its pages are answered with 503')
  const sandbox = sandboxHeaders(config)
  const libraries = openLibraries(config.templateLibraries)
  const frame = libraries.tell(files.get('frame.html'))
  const frameName = toFrameName(frame, [sandbox, pageHeaders(config)])
  const named = { frameName, mediaHosts: config.mediaHosts }
  const page = index ? openPage(index, pageHeaders(config), readHints(files.get('build.json')), named) : () => NOT_BUILT
  return ({ method, path, search, headers }) => {
    if ((method !== 'GET' && method !== 'HEAD') || !path.startsWith(config.baseUrl)) return null
    const name = path.slice(config.baseUrl.length)
    if (/^api(\/|$)/.test(name)) return null
    if (name === 'index.html') return page('', headers)
    if (frame && FRAME_NAME.test(name))
      return answerFile(frame, headers, headersOf(name === frameName, sandboxHeaders(config, search)))
    const library = libraries.answer(name, headers)
    if (library) return library
    const file = files.get(name)
    if (file) return answerFile(file, headers, headersOf(isAsset(name), name.endsWith('.html') ? sandbox : {}))
    return looksLikeFile(name) || depthOf(name) > PAGE_DEPTH_MAX ? null : page(name, headers)
  }
}

const depthOf = (name: string) => name.split('/').length - 1

/** `2.5` at the end of a name is a version. */
const looksLikeFile = (name: string) => /\.[a-z][a-z0-9]*$/i.test(name)

/**
 * The frame for templates under a name that changes with its content and with the policies, because browsers keep both: no
 * service worker is asked for a frame of an opaque origin, so without a network it can only come from what they kept. Pages of
 * an earlier version are still open with an earlier name; they get the present frame, and ask again the next time.
 */
const FRAME_NAME = /^frame-[0-9a-f]{16}\.html$/
const toFrameName = (frame: WebFile | undefined, policies: Record<string, string>[]) =>
  `frame-${hash('sha256', JSON.stringify([frame?.plain.etag, policies])).slice(0, 16)}.html`

/** The names of assets hold a hash of what is in them. */
const isAsset = (name: string) => name.startsWith('assets/')
const headersOf = (isKept: boolean, others: Record<string, string>) => ({ ...keptFor(isKept), ...others })

const NOT_BUILT: Reply = {
  ...textReply(503, 'The web UI is not built. The API works; it is described below api/v1/docs.\n', 'text/plain; charset=utf-8'),
  headers: { 'cache-control': 'no-store' },
}

/** What the page itself must know of this server. */
interface Named {
  frameName: string
  mediaHosts: readonly string[]
}

/** The page for each depth of path: `./assets/x.js` is `../../assets/x.js` from `dataset/1/settings`. */
function openPage(index: WebFile, others: Record<string, string>, hints: Hint[], { frameName, mediaHosts }: Named) {
  const built = new TextDecoder().decode(index.plain.bytes)
  const text = built
    .replace('content="frame.html"', `content="${frameName}"`)
    // Settings with a quote or an angle bracket are refused at start.
    .replace('name="media-hosts" content="https:"', () => `name="media-hosts" content="${mediaHosts.join(' ')}"`)
  const kept = new Map<number, WebFile>()
  const atDepth = (depth: number): WebFile => {
    const file = kept.get(depth)
    if (file) return file
    const moved = text.replace(/(\s(?:src|href)=["']?)\.\//g, `$1${'../'.repeat(depth) || './'}`)
    const made = moved === built ? index : { ...index, plain: toVariant(new TextEncoder().encode(moved)), coded: [] }
    kept.set(depth, made)
    return made
  }
  return (name: string, headers: IncomingHttpHeaders): Reply => {
    const depth = depthOf(name)
    const files = hints.find(({ path }) => path.test(name))?.files ?? []
    const link = files.map(file => toLink('../'.repeat(depth) + file)).join(', ')
    return answerFile(atDepth(depth), headers, headersOf(false, link ? { ...others, link } : others))
  }
}

/** Files that some pages need first, so that browsers ask for them before the application has started. */
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
