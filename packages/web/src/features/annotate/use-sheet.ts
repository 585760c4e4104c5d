/**
 * Height of the form on a phone, where it is a sheet below the record: as high as its content up to a limit, as high as the
 * person made it, or folded to its actions. Not stored: it lasts as long as the page. Beside the record none of it has an effect.
 */
import { computed, onMounted, onScopeDispose, type Ref, ref, type ShallowRef, watch } from 'vue'
import { startDrag } from '../../questions/pointer-drag.ts'
import type { Gap } from './answers.ts'

/** In per cent of the window. */
const SHARE_MAX = 75
/** Room for the steps, one line of a question and the actions. */
const HEIGHT_MIN_PX = 180
/** Dragged lower than this, the sheet folds. */
const FOLDS_BELOW_PX = 160
const STEP_PX = 40

export function useSheet(panel: Readonly<ShallowRef<HTMLElement | null>>, shownGaps: Ref<readonly Gap[]>) {
  // Where both do not fit, the record is read first.
  const isFolded = ref(matchMedia('(width < 540px) and (height < 400px)').matches)
  /** Share of the window; null: it follows the content. */
  const chosen = ref<number | null>(null)
  const heightPx = ref(0)
  const share = computed(() => Math.min(SHARE_MAX, Math.round((heightPx.value / innerHeight) * 100)))

  function fold(isWanted: boolean): void {
    isFolded.value = isWanted
    // The next submit shows them anew, and opens the sheet for it.
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
  /** A folded sheet opens at the height it had. */
  function step(by: 1 | -1): void {
    if (isFolded.value) fold(by < 0)
    else resize(heightPx.value + by * STEP_PX)
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
