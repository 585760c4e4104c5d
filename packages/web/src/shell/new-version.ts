/**
 * Detects a new build on the server, in every tab and even without a service worker, and loads it when a reload loses nothing. A
 * script or style that fails to load only triggers a check, because the network may be down.
 */
import { watch } from 'vue'
import type { RouteLocationNormalized, Router } from 'vue-router'
import { checkBuild, newBuild } from '../build.ts'
import { t } from '../i18n/i18n.ts'
import { showToast } from '../toast.ts'

const CHECK_MS = 5 * 60_000
/** Maximum time to wait for a recent answer to reach the server. */
const PATIENCE_MS = 1_500

/** URL of the page that the user wanted to open and that could not be loaded. */
let target: string | null = null

/** `isSettled` returns true if all answers have reached the server. */
export function watchForNewVersion(router: Router, isSettled: () => boolean): void {
  const check = () => {
    if (document.visibilityState === 'visible') void checkBuild()
  }
  setInterval(check, CHECK_MS)
  document.addEventListener('visibilitychange', check)
  addEventListener('online', check)
  watchParts(router, isSettled)
  router.afterEach((to, from, failure) => {
    if (failure) return
    target = null
    const isOtherPage = to.name !== from.name || to.params.id !== from.params.id
    const isSafe = () => isSettled() && router.currentRoute.value === to
    if (isOtherPage && from.matched.length > 0) void loadNewVersionWhenSafe({ isSafe })
  })
}

/** Handles scripts and styles that fail to load. */
function watchParts(router: Router, isSettled: () => boolean): void {
  let problem: unknown = null
  addEventListener('vite:preloadError', event => {
    problem = event.payload
    void checkBuild()
  })
  router.onError((error, to, from) => {
    if (error === problem) void openMissingPage(router, to, from, isSettled)
  })
  // A failed style sheet is removed, because a link that stays in the page counts as loaded and would not be requested at the
  // next attempt.
  addEventListener(
    'error',
    ({ target: link }) => {
      if (link instanceof HTMLLinkElement && link.rel === 'stylesheet') link.remove()
    },
    true,
  )
}

async function openMissingPage(
  router: Router,
  to: RouteLocationNormalized,
  from: RouteLocationNormalized,
  isSettled: () => boolean,
): Promise<void> {
  const { href } = router.resolve(to.fullPath)
  target = href
  if ((await checkBuild()) === 'new') {
    // Not for the first page of a visit, because a page that refers to deleted files could reload in a loop.
    if (from.matched.length > 0 && isSettled()) location.assign(href)
    return
  }
  // A second failure shows the same message.
  const run = () => void router.push(to.fullPath).catch(() => undefined)
  showToast({ kind: 'warning', text: t('common.part_missing'), action: { label: t('common.retry'), run } })
}

/** Loads the new build at the user's request and opens the page they wanted. Does nothing if the server cannot be reached. */
export async function loadNewVersion(): Promise<void> {
  if ((await checkBuild()) === 'unreachable') return showToast({ kind: 'warning', text: t('common.problem_connection') })
  if (target === null || target === location.pathname + location.search) location.reload()
  else location.assign(target)
}

/**
 * Loads the new build, if there is one, when a reload costs nothing: between two records or pages. Waits briefly until `isSafe`
 * returns true (no answer is being sent, nothing is unsaved), and cancels as soon as the user does something.
 */
export async function loadNewVersionWhenSafe({ isSafe }: { isSafe: () => boolean }): Promise<void> {
  // Once per build: a proxy that serves a stale page would otherwise cause a reload loop.
  if (newBuild.value === null || history.state?.takenBuild === newBuild.value) return
  const input = watchInput()
  const isFree = () => !input.areBusy() && isSafe()
  if ((await becomesTrue(isFree)) && (await checkBuild()) === 'new' && isFree()) {
    history.replaceState({ ...history.state, takenBuild: newBuild.value }, '')
    location.reload()
  }
  input.release()
}

function watchInput() {
  const controller = new AbortController()
  let isBusy = false
  const note = () => {
    isBusy = true
  }
  for (const name of ['keydown', 'pointerdown']) addEventListener(name, note, { capture: true, signal: controller.signal })
  return { areBusy: () => isBusy, release: () => controller.abort() }
}

/** Resolves to true if a reactive condition is true now or within `PATIENCE_MS`. */
function becomesTrue(condition: () => boolean): Promise<boolean> {
  if (condition()) return Promise.resolve(true)
  return new Promise(resolve => {
    const end = (isTrue: boolean) => {
      clearTimeout(timer)
      stop()
      resolve(isTrue)
    }
    const timer = setTimeout(() => end(false), PATIENCE_MS)
    const stop = watch(condition, isTrue => isTrue && end(true))
  })
}
