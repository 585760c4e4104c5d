/**
 * Caches the application shell, so that it opens immediately and offline. Data never passes through the service worker: pages
 * store their own offline copies.
 */
const CACHE = 'postil-shell'
const base = new URL(self.registration.scope).pathname

self.addEventListener('install', event => {
  event.waitUntil(keepShell().then(() => self.skipWaiting()))
})

self.addEventListener('activate', event => {
  event.waitUntil(activate())
})

async function activate() {
  // Navigation preload: the browser requests the page while it starts this worker.
  await self.registration.navigationPreload?.enable()
  await self.clients.claim()
}

self.addEventListener('fetch', event => {
  const { request } = event
  const url = new URL(request.url)
  if (request.method !== 'GET' || url.origin !== location.origin || !url.pathname.startsWith(base)) return
  const path = url.pathname.slice(base.length)
  if (request.mode === 'navigate') {
    // Pages only; API documents and files always come from the server.
    if (ANNOTATION_PAGE.test(path)) event.respondWith(annotationPage(event))
    else if (!path.startsWith('api/') && !/\.\w+$/.test(path)) event.respondWith(shell(event))
  } else if (path.startsWith('assets/')) event.respondWith(asset(event))
})

const ANNOTATION_PAGE = /^dataset\/[^/]+(?:\/annotation-mode)?$/
/** Key of the cached annotation page, which names its styles and scripts. */
const ANNOTATION_KEY = `${base}dataset`

/** Time to wait for the server before the cached page is used. */
const PATIENCE_MS = 1_000

/**
 * Network first, so that no outdated page calls the API of an upgraded server. Falls back to the cached page if the server is
 * slow, fails or cannot be reached.
 */
async function shell(event) {
  const found = fetchPage(event)
  // Updates the cache even if the response is late. If that fails, the next visit tries again.
  event.waitUntil(found.then(keepShell).catch(() => undefined))
  const kept = await findKept(base)
  if (!kept) return found
  const late = new Promise(resolve => setTimeout(resolve, PATIENCE_MS, null))
  const page = await Promise.race([found.catch(() => null), late])
  // A proxy may redirect to a sign-in page; navigations see that as a redirect that has not been followed yet.
  return page?.ok || page?.type === 'opaqueredirect' ? page : kept
}

/**
 * Sends the cached page at once, and the data that comes with the server's page as soon as that arrives. No request has been made
 * by then, so a cached page of another version is replaced before it can call the API.
 */
async function annotationPage(event) {
  const kept = await findKept(ANNOTATION_KEY)
  if (!kept) return shell(event)
  const found = fetchPage(event)
  event.waitUntil(found.then(keepShell).catch(() => undefined))
  const { readable, writable } = new TransformStream()
  event.waitUntil(writePage(writable.getWriter(), kept.clone(), found).catch(() => undefined))
  return new Response(readable, { headers: kept.headers })
}

async function writePage(writer, kept, found) {
  const html = await kept.text()
  const encoder = new TextEncoder()
  await writer.write(encoder.encode(html))
  const late = new Promise(resolve => setTimeout(resolve, PATIENCE_MS, ''))
  await writer.write(encoder.encode(await Promise.race([dataOf(found, html).catch(() => ''), late])))
  await writer.close()
}

/** Tells the cached page to load itself again, from the server (`early.ts`). */
const RELOAD = '<script type="application/json" data-reload></script>'
const buildOf = html => /<meta name="build" content="[^"]*"/.exec(html)?.[0]

/** Returns what follows the server's page: the data of the signed-in user. Empty if the server fails: the page asks for its data. */
async function dataOf(found, kept) {
  const page = await found
  if (!page.ok && page.type !== 'opaqueredirect') return ''
  const html = page.ok ? await page.text() : ''
  if (buildOf(html) === buildOf(kept)) return html.slice(html.indexOf(PAGE_END) + PAGE_END.length)
  // A proxy redirects, or the server has another version. Without a cached page, the next request gets the response of the server.
  await forgetPages()
  return RELOAD
}

const PAGE_END = '</html>'

async function forgetPages() {
  const cache = await caches.open(CACHE)
  for (const key of [base, ANNOTATION_KEY]) await cache.delete(key)
}

const fetchPage = async event => (await event.preloadResponse) ?? fetch(event.request)

/** Treats storage errors as a cache miss, because the network may still work. */
async function findKept(request) {
  try {
    return await (await caches.open(CACHE)).match(request)
  } catch {
    return undefined
  }
}

/** Precaches the page with all scripts and styles for offline visits, including pages that were never opened. */
async function keepShell() {
  const page = await fetch(base, { credentials: 'same-origin' })
  // The response does not come from the application.
  if (!page.ok || page.redirected) return
  // Makes URLs absolute, because the cached page is served for deeper paths too.
  const html = (await page.text()).replaceAll('"./', `"${base}`)
  const { id, files, pages } = await (await fetch(`${base}build.json`, { cache: 'no-cache' })).json()
  // The server was upgraded between the two responses; the next visit loads both again.
  if (!html.includes(`content="${id}"`)) return
  const cache = await caches.open(CACHE)
  const wanted = files.map(file => new URL(base + file, location.origin).href)
  const kept = await cache.match(base)
  const isComplete = (await cache.match(ANNOTATION_KEY)) !== undefined
  if (kept && isComplete && (await kept.text()) === html) return dropOldAssets(cache, wanted)
  const there = new Set((await cache.keys()).map(({ url }) => url))
  // Files first, so that a cached page never lacks its files.
  await cache.addAll(wanted.filter(url => !there.has(url)))
  const headers = new Headers(page.headers)
  // The header contains preload URLs relative to the home page.
  headers.delete('link')
  await cache.put(base, new Response(html, { headers }))
  const first = pages.find(({ path }) => new RegExp(path).test('dataset/0'))?.files ?? []
  // The data that is added belongs to one user, so the browser must not keep the page after it was left.
  headers.set('cache-control', 'no-store')
  await cache.put(ANNOTATION_KEY, new Response(withFiles(html, first), { headers }))
  for (const client of await self.clients.matchAll()) client.postMessage('new-version')
}

/** Adds the styles and scripts that the annotation page needs first. */
function withFiles(html, files) {
  const missing = files.filter(file => !html.includes(`"${base}${file}"`))
  const toLink = file => `<link rel="${file.endsWith('.js') ? 'modulepreload' : 'stylesheet'}" crossorigin href="${base}${file}">`
  return html.replace('</head>', `${missing.map(toLink).join('')}</head>`)
}

/** Runs one visit after a new version was found, because pages of the old version may still be open. */
async function dropOldAssets(cache, wanted) {
  const isOld = ({ url }) => /\/assets\/[^/]+\.(?:js|css)$/.test(url) && !wanted.includes(url)
  for (const request of (await cache.keys()).filter(isOld)) await cache.delete(request)
}

/** Cache first: file names contain content hashes, so cached files never become stale. */
async function asset(event) {
  const kept = await findKept(event.request)
  if (kept) return kept
  const answer = await fetch(event.request)
  if (answer.ok) event.waitUntil(keepAsset(event.request, answer.clone()).catch(() => undefined))
  return answer
}

const keepAsset = async (request, answer) => (await caches.open(CACHE)).put(request, answer)
