/**
 * Registers the service worker that caches the application shell. Browsers allow it on https and localhost only; everything works
 * without it.
 */
import { checkBuild } from './build.ts'
import { BASE_PATH } from './server-address.ts'

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
  navigator.serviceWorker.addEventListener('message', ({ data }) => {
    // Sent to all pages, including those that already run the new build.
    if (data === 'new-version') void checkBuild()
  })
}
