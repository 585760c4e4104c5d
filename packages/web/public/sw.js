/**
 * Keeps the shell of the application, so that it opens at once and without a network. Data never passes through here: the
 * pages keep what they need themselves.
 */
const CACHE = 'postil-shell'
const base = new URL(self.registration.scope).pathname

self.addEventListener('install', event => {
  event.waitUntil(refreshShell().then(() => self.skipWaiting()))
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
  if (kept && (await kept.text()) === html) return
  if (kept) await forgetAssets(cache)
  await cache.put(base, new Response(html, { headers: answer.headers }))
  if (kept) for (const client of await self.clients.matchAll()) client.postMessage('new-version')
}

async function forgetAssets(cache) {
  for (const request of await cache.keys()) if (request.url.includes('/assets/')) await cache.delete(request)
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
