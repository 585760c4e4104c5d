/** The worker that keeps the shell for the next visit. Browsers give it to https and localhost only; without it all works too. */
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
  // The page's policy lets only named policies make addresses of scripts; ours makes exactly one.
  const trusted = types ? types.createPolicy('postil', { createScriptURL: () => url }).createScriptURL(url) : url
  const register = () => setTimeout(() => void navigator.serviceWorker.register(trusted, { scope: BASE_PATH }), PATIENCE_MS)
  // What it keeps for later must not come before what is shown now.
  if (document.readyState === 'complete') register()
  else addEventListener('load', register, { once: true })
  navigator.serviceWorker.addEventListener('message', ({ data }) => {
    // Told to all pages, also to those that have it already.
    if (data === 'new-version') void checkBuild()
  })
}
