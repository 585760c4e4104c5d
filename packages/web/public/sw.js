/**
 * Keeps the shell of the application, so that it opens at once and without a network. Data never passes through here: the
 * pages keep what they need themselves.
 */
const CACHE = 'postil-shell'
const base = new URL(self.registration.scope).pathname

self.addEventListener('install', event => {
  event.waitUntil(install())
})

async function install() {
  const page = await fetchShell()
  if (page) await keepShell(page)
  await self.skipWaiting()
}

self.addEventListener('activate', event => {
  event.waitUntil(self.clients.claim())
})

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
 * The server's page, so that after an upgrade no old page calls the new API; the kept one if the server is slow or cannot be
 * reached.
 */
async function shell(event) {
  const kept = await findKept(base)
  if (!kept) return fetch(event.request)
  const found = fetchShell().catch(() => null)
  // What cannot be kept now is kept at the next visit.
  event.waitUntil(found.then(page => page && keepShell(page.clone())).catch(() => undefined))
  const late = new Promise(resolve => setTimeout(resolve, PATIENCE_MS, null))
  return (await Promise.race([found, late])) ?? kept
}

/** Storage can fail; the network is still there. */
async function findKept(request) {
  try {
    return await (await caches.open(CACHE)).match(request)
  } catch {
    return undefined
  }
}

/** Null if something else answers than the application: an error, or a proxy that wants the person to sign in. */
async function fetchShell() {
  const answer = await fetch(base, { credentials: 'same-origin' })
  if (!answer.ok || answer.redirected) return null
  // Relative to the page that asks, which may lie deeper.
  const html = (await answer.text()).replaceAll('"./', `"${base}`)
  const headers = new Headers(answer.headers)
  // It names files of the home page, as seen from there.
  headers.delete('link')
  return new Response(html, { headers })
}

/** For visits without a network: the page with all scripts and styles, also of what was not opened yet. */
async function keepShell(page) {
  const cache = await caches.open(CACHE)
  const html = await page.clone().text()
  const { id, files } = await (await fetch(`${base}build.json`, { cache: 'no-cache' })).json()
  // The server was upgraded between the two answers: the next visit finds both anew.
  if (!html.includes(`content="${id}"`)) return
  const wanted = files.map(file => new URL(base + file, location.origin).href)
  const kept = await cache.match(base)
  if (kept && (await kept.text()) === html) return dropOldAssets(cache, wanted)
  const there = new Set((await cache.keys()).map(({ url }) => url))
  // The files first, so that a kept page is never without them.
  await cache.addAll(wanted.filter(url => !there.has(url)))
  await cache.put(base, page)
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
