/**
 * Finds out that the server has a new build, in every tab and without a service worker too, and loads it at a moment that costs
 * nothing. A part of the page that cannot be fetched is a reason to look, not a proof: the network may be gone.
 */
import { watch } from 'vue'
import type { RouteLocationNormalized, Router } from 'vue-router'
import { checkBuild, newBuild } from '../build.ts'
import { t } from '../i18n/i18n.ts'
import { showToast } from '../toast.ts'

const CHECK_MS = 5 * 60_000
/** How long an answer that was just given may take to reach the server. */
const PATIENCE_MS = 1_500

/** The page that the person wanted to see and that could not be fetched. */
let target: string | null = null

/** `isSettled`: every answer has reached the server. */
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
    if (isOtherPage && from.matched.length > 0) void takeNewVersion({ isSafe })
  })
}

/** Scripts and styles that cannot be fetched. */
function watchParts(router: Router, isSettled: () => boolean): void {
  let problem: unknown = null
  addEventListener('vite:preloadError', event => {
    problem = event.payload
    void checkBuild()
  })
  router.onError((error, to, from) => {
    if (error === problem) void openMissingPage(router, to, from, isSettled)
  })
  // A style that stays in the page counts as fetched, also if it was not: it would be missing at the next try.
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
    // Not for the first page of a visit: if it came with files that are gone, it might do so again and again.
    if (from.matched.length > 0 && isSettled()) location.assign(href)
    return
  }
  // A second failure is told in the same way.
  const run = () => void router.push(to.fullPath).catch(() => undefined)
  showToast({ kind: 'warning', text: t('common.part_missing'), action: { label: t('common.retry'), run } })
}

/** Loads the new build because the person asks for it, at the page that they wanted to see. Not if there is no server to load it from. */
export async function loadNewVersion(): Promise<void> {
  if ((await checkBuild()) === 'unreachable') return showToast({ kind: 'warning', text: t('common.problem_connection') })
  if (target === null || target === location.pathname + location.search) location.reload()
  else location.assign(target)
}

/**
 * Loads the new build, if there is one, for moments at which a reload costs nothing: another record or another page. It waits a
 * little until `isSafe` is true (no answer is on its way, nothing is unsaved), and gives up as soon as the person does something.
 */
export async function takeNewVersion({ isSafe }: { isSafe: () => boolean }): Promise<void> {
  // Once for each build: a page that a proxy keeps too long would come back as it was, again and again.
  if (newBuild.value === null || history.state?.takenBuild === newBuild.value) return
  const hands = watchHands()
  const isFree = () => !hands.areBusy() && isSafe()
  if ((await becomesTrue(isFree)) && (await checkBuild()) === 'new' && isFree()) {
    history.replaceState({ ...history.state, takenBuild: newBuild.value }, '')
    location.reload()
  }
  hands.release()
}

function watchHands() {
  const controller = new AbortController()
  let isBusy = false
  const note = () => {
    isBusy = true
  }
  for (const name of ['keydown', 'pointerdown']) addEventListener(name, note, { capture: true, signal: controller.signal })
  return { areBusy: () => isBusy, release: () => controller.abort() }
}

/** Whether a condition of reactive values is true now or soon. */
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
