/**
 * Height of the form on a phone, where it is a bottom sheet: as high as its content up to a limit, as high as the user made it,
 * or collapsed to its actions. Not stored. Has no effect if the form is beside the record.
 */
import { computed, onMounted, onScopeDispose, type Ref, ref, type ShallowRef, watch } from 'vue'
import { startDrag } from '../../../questions/pointer-drag.ts'
import type { Gap } from '../form/answers.ts'

/** Percentage of the window's height. */
const SHARE_MAX = 75
/** Space for the steps, one line of a question, and the actions. */
const HEIGHT_MIN_PX = 180
/** The sheet collapses if it is dragged below this height. */
const FOLDS_BELOW_PX = 160
const STEP_PX = 40

export function useSheet(panel: Readonly<ShallowRef<HTMLElement | null>>, shownGaps: Ref<readonly Gap[]>) {
  // If there is not enough space for both, the record has priority.
  const isFolded = ref(matchMedia('(width < 540px) and (height < 400px)').matches)
  /** Percentage of the window's height; null if the height follows the content. */
  const chosen = ref<number | null>(null)
  const heightPx = ref(0)
  const share = computed(() => Math.min(SHARE_MAX, Math.round((heightPx.value / innerHeight) * 100)))

  function fold(isWanted: boolean): void {
    isFolded.value = isWanted
    // Cleared, so that the next submit sets them again and opens the sheet.
    if (isWanted) shownGaps.value = []
  }
  watch(shownGaps, gaps => {
    if (gaps.length > 0) fold(false)
  })

  function resize(wantedPx: number): void {
    fold(wantedPx < FOLDS_BELOW_PX)
    if (!isFolded.value) chosen.value = Math.min(SHARE_MAX, (wantedPx / innerHeight) * 100)
  }
  function grab(event: PointerEvent): void {
    const from = heightPx.value
    startDrag(event, { start: () => undefined, move: ({ y }) => resize(from - y), end: () => undefined })
  }
  /** A collapsed sheet opens at its previous height. */
  function step(by: 1 | -1): void {
    if (isFolded.value) fold(by < 0)
    // Measured directly, because the observer reports the previous step one frame late.
    else resize((panel.value?.offsetHeight ?? 0) + by * STEP_PX)
  }

  const observer = new ResizeObserver(() => {
    heightPx.value = panel.value?.offsetHeight ?? 0
  })
  onMounted(() => panel.value && observer.observe(panel.value))
  onScopeDispose(() => observer.disconnect())

  return {
    isFolded,
    share,
    max: SHARE_MAX,
    classes: computed(() => ({ folded: isFolded.value, chosen: chosen.value !== null })),
    styles: computed(() => ({ '--sheet-min': `${HEIGHT_MIN_PX}px`, '--sheet-h': `${chosen.value ?? 0}dvh` })),
    fold,
    grab,
    step,
    largest: () => resize((SHARE_MAX / 100) * innerHeight),
    reset: () => {
      chosen.value = null
    },
  }
}

export type Sheet = ReturnType<typeof useSheet>
