/**
 * Keeps the shell of the application, so that it opens at once and without a network. Data never passes through here: the
 * pages keep what they need themselves.
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
  // The browser asks the server for the page while it starts this worker.
  await self.registration.navigationPreload?.enable()
  await self.clients.claim()
}

self.addEventListener('fetch', event => {
  const { request } = event
  const url = new URL(request.url)
  if (request.method !== 'GET' || url.origin !== location.origin || !url.pathname.startsWith(base)) return
  const path = url.pathname.slice(base.length)
  if (request.mode === 'navigate') {
    // Pages only: documents of the API and files are the server's.
    if (!path.startsWith('api/') && !/\.\w+$/.test(path)) event.respondWith(shell(event))
  } else if (path.startsWith('assets/')) event.respondWith(asset(event))
})

/** How long a page waits for the server before it starts with what is kept. */
const PATIENCE_MS = 1_000

/**
 * The server's page, so that after an upgrade no old page calls the new API; the kept one if the server is slow, fails or cannot
 * be reached.
 */
async function shell(event) {
  const found = fetchPage(event)
  // Also if it comes late. What cannot be kept now is kept at the next visit.
  event.waitUntil(found.then(keepShell).catch(() => undefined))
  const kept = await findKept(base)
  if (!kept) return found
  const late = new Promise(resolve => setTimeout(resolve, PATIENCE_MS, null))
  const page = await Promise.race([found.catch(() => null), late])
  // A proxy may send people elsewhere to sign in; a navigation sees that as a redirect that is not followed yet.
  return page?.ok || page?.type === 'opaqueredirect' ? page : kept
}

const fetchPage = async event => (await event.preloadResponse) ?? fetch(event.request)

/** Storage can fail; the network is still there. */
async function findKept(request) {
  try {
    return await (await caches.open(CACHE)).match(request)
  } catch {
    return undefined
  }
}

/** For visits without a network: the page with all scripts and styles, also of what was not opened yet. */
async function keepShell() {
  const page = await fetch(base, { credentials: 'same-origin' })
  // Something else answers than the application.
  if (!page.ok || page.redirected) return
  // Relative to the page that asks, which may lie deeper.
  const html = (await page.text()).replaceAll('"./', `"${base}`)
  const { id, files } = await (await fetch(`${base}build.json`, { cache: 'no-cache' })).json()
  // The server was upgraded between the two answers: the next visit finds both anew.
  if (!html.includes(`content="${id}"`)) return
  const cache = await caches.open(CACHE)
  const wanted = files.map(file => new URL(base + file, location.origin).href)
  const kept = await cache.match(base)
  if (kept && (await kept.text()) === html) return dropOldAssets(cache, wanted)
  const there = new Set((await cache.keys()).map(({ url }) => url))
  // The files first, so that a kept page is never without them.
  await cache.addAll(wanted.filter(url => !there.has(url)))
  const headers = new Headers(page.headers)
  // It names files of the home page, as seen from there.
  headers.delete('link')
  await cache.put(base, new Response(html, { headers }))
  for (const client of await self.clients.matchAll()) client.postMessage('new-version')
}

/** Only at the visit after the one that found a new version: pages of the old one may still be open. */
async function dropOldAssets(cache, wanted) {
  const isOld = ({ url }) => /\/assets\/[^/]+\.(?:js|css)$/.test(url) && !wanted.includes(url)
  for (const request of (await cache.keys()).filter(isOld)) await cache.delete(request)
}

/** Named by their content: what is kept is right for ever. */
async function asset(event) {
  const kept = await findKept(event.request)
  if (kept) return kept
  const answer = await fetch(event.request)
  if (answer.ok) event.waitUntil(keepAsset(event.request, answer.clone()).catch(() => undefined))
  return answer
}

const keepAsset = async (request, answer) => (await caches.open(CACHE)).put(request, answer)
