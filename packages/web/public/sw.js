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
    if (!path.startsWith('api/') && !/\.\w+$/.test(path)) event.respondWith(shell(event))
  } else if (path.startsWith('assets/')) event.respondWith(asset(event))
})

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
  const { id, files } = await (await fetch(`${base}build.json`, { cache: 'no-cache' })).json()
  // The server was upgraded between the two responses; the next visit loads both again.
  if (!html.includes(`content="${id}"`)) return
  const cache = await caches.open(CACHE)
  const wanted = files.map(file => new URL(base + file, location.origin).href)
  const kept = await cache.match(base)
  if (kept && (await kept.text()) === html) return dropOldAssets(cache, wanted)
  const there = new Set((await cache.keys()).map(({ url }) => url))
  // Files first, so that a cached page never lacks its files.
  await cache.addAll(wanted.filter(url => !there.has(url)))
  const headers = new Headers(page.headers)
  // The header contains preload URLs relative to the home page.
  headers.delete('link')
  await cache.put(base, new Response(html, { headers }))
  for (const client of await self.clients.matchAll()) client.postMessage('new-version')
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
