/**
 * Registers the service worker that caches the application shell. Browsers allow it on https and localhost only; everything works
 * without it.
 */
import { checkBuild } from './build.ts'
import { BASE_PATH } from './server-address.ts'
import { whenIdle } from './when-idle.ts'

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string }
}

const PATIENCE_MS = 2_000

export function startServiceWorker(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return
  const url = `${BASE_PATH}sw.js`
  const types = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes
  // The page's CSP requires a named Trusted Types policy for script URLs; ours allows exactly one URL.
  const trusted = types ? types.createPolicy('postil', { createScriptURL: () => url }).createScriptURL(url) : url
  const register = () => setTimeout(() => void navigator.serviceWorker.register(trusted, { scope: BASE_PATH }), PATIENCE_MS)
  // Registered after the page has loaded, so that precaching does not compete with visible content.
  if (document.readyState === 'complete') register()
  else addEventListener('load', register, { once: true })
  if (!navigator.serviceWorker.controller)
    navigator.serviceWorker.addEventListener('controllerchange', () => whenIdle(storeCompiledCode), { once: true })
  navigator.serviceWorker.addEventListener('message', ({ data }) => {
    // Sent to all pages, including those that already run the new build.
    if (data === 'new-version') void checkBuild()
  })
}

/** Maximum time for the frame to load. */
const COMPILE_MS = 10_000

/**
 * Makes the browser store the compiled scripts with the cached files on the first visit. Otherwise the second visit compiles them
 * again, which takes half of the time until its record can be answered: Chromium stores the code of a module when it runs from the
 * cache of a service worker, and the page itself was loaded before the worker was there. The scripts run in a frame, because a
 * document runs a module only once.
 */
function storeCompiledCode(): void {
  const frame = document.createElement('iframe')
  frame.hidden = true
  frame.src = `${BASE_PATH}compile.html`
  const remove = () => frame.remove()
  // The code is stored right after the scripts have run.
  frame.addEventListener('load', () => whenIdle(remove), { once: true })
  setTimeout(remove, COMPILE_MS)
  document.body.append(frame)
}
