/** Appearance settings of the page that are sent to templates; reactive. */
import { computed, onScopeDispose, ref } from 'vue'
import { language } from '../../i18n/i18n.ts'
import { preferences } from '../../preferences.ts'
import type { Terms } from '../find-hits.ts'
import type { Look } from './messages.ts'

export function useLook(words: () => Terms) {
  const query = matchMedia('(prefers-color-scheme: dark)')
  const isDark = ref(query.matches)
  const onChange = () => {
    isDark.value = query.matches
  }
  query.addEventListener('change', onChange)
  onScopeDispose(() => query.removeEventListener('change', onChange))
  return computed(
    (): Look => ({
      theme: preferences.theme === 'system' ? (isDark.value ? 'dark' : 'light') : preferences.theme,
      language: language.value,
      dir: document.documentElement.dir === 'rtl' ? 'rtl' : 'ltr',
      words: words().map(({ text, isPrefix }) => ({ text, isPrefix })),
    }),
  )
}
