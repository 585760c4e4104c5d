/**
 * The server has a newer build: the worker found another shell there, or a part of the page cannot be fetched any more. The way
 * out is to load the page anew.
 */
import { ref } from 'vue'
import type { Router } from 'vue-router'

/** Pages that hold work may reload at a moment of their own choice. */
export const hasNewVersion = ref(false)
let target: string | null = null

export function watchForNewVersion(router: Router): void {
  addEventListener('vite:preloadError', () => {
    hasNewVersion.value = true
  })
  router.onError((_error, to) => {
    target = router.resolve(to.fullPath).href
  })
}

/** Loads the new build, at the page that the person wanted to see. */
export function loadNewVersion(): void {
  if (target === null || target === location.pathname + location.search) location.reload()
  else location.assign(target)
}
