/** The worker that keeps the shell for the next visit. Browsers give it to https and localhost only; without it all works too. */
import { ref } from 'vue'
import { BASE_PATH } from './server-address.ts'

/** A newer version of this application is on the server. */
export const hasNewVersion = ref(false)

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string }
}

export function startServiceWorker(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return
  const url = `${BASE_PATH}sw.js`
  const types = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes
  // The page's policy lets only named policies make addresses of scripts; ours makes exactly one.
  const trusted = types ? types.createPolicy('postil', { createScriptURL: () => url }).createScriptURL(url) : url
  void navigator.serviceWorker.register(trusted, { scope: BASE_PATH })
  navigator.serviceWorker.addEventListener('message', ({ data }) => {
    if (data === 'new-version') hasNewVersion.value = true
  })
}
