import { type Ref, watch } from 'vue'
import { language } from '../i18n/i18n.ts'

/** Scrolls the current tab into view, because rows of tabs scroll sideways on narrow screens. */
export function useCurrentInView(nav: Ref<HTMLElement | null | undefined>, current: () => unknown): void {
  watch(
    [nav, current, language],
    () => nav.value?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' }),
    { flush: 'post' },
  )
}
