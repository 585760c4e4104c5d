/**
 * Keeps the shell of the application, so that it opens at once and without a network. Data never passes through here: the
 * pages keep what they need themselves.
 */
const CACHE = 'postil-shell'
const base = new URL(self.registration.scope).pathname

self.addEventListener('install', event => {
  event.waitUntil(
    refreshShell()
      .then(keepAssets)
      .then(() => self.skipWaiting()),
  )
})

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
  } else if (path.startsWith('assets/')) event.respondWith(asset(request))
})

/** The kept page at once; a newer one for the next time. */
async function shell(event) {
  const kept = await (await caches.open(CACHE)).match(base)
  if (!kept) return fetch(event.request)
  event.waitUntil(refreshShell().catch(() => undefined))
  return kept
}

async function refreshShell() {
  const cache = await caches.open(CACHE)
  const answer = await fetch(base, { credentials: 'same-origin' })
  if (!answer.ok || answer.redirected) return
  // Relative to the page that asks, which may lie deeper.
  const html = (await answer.text()).replaceAll('"./', `"${base}`)
  const kept = await cache.match(base)
  if (kept && (await kept.text()) === html) return dropOldAssets(cache)
  // First, so that a page never waits here without its files.
  if (kept) await keepAssets()
  const headers = new Headers(answer.headers)
  // It names files of the home page, as seen from there.
  headers.delete('link')
  await cache.put(base, new Response(html, { headers }))
  if (kept) for (const client of await self.clients.matchAll()) client.postMessage('new-version')
}

/** All scripts and styles of this version, so that what opens for the first time opens without a network too. */
async function keepAssets() {
  const cache = await caches.open(CACHE)
  const kept = new Set((await cache.keys()).map(({ url }) => url))
  await cache.addAll((await listAssets()).filter(url => !kept.has(url)))
}

/** Only at the visit after the one that found a new version: pages of the old one may still be open. */
async function dropOldAssets(cache) {
  const wanted = new Set(await listAssets())
  const isOld = ({ url }) => /\/assets\/[^/]+\.(?:js|css)$/.test(url) && !wanted.has(url)
  for (const request of (await cache.keys()).filter(isOld)) await cache.delete(request)
}

async function listAssets() {
  const { files } = await (await fetch(`${base}build.json`)).json()
  return files.map(file => new URL(base + file, location.origin).href)
}

/** Named by their content: what is kept is right for ever. */
async function asset(request) {
  const cache = await caches.open(CACHE)
  const kept = await cache.match(request)
  if (kept) return kept
  const answer = await fetch(request)
  if (answer.ok) await cache.put(request, answer.clone())
  return answer
}
