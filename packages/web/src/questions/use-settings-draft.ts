import type { QuestionSettings } from '@postil/domain/questions/registry'
import { computed, shallowRef, watch } from 'vue'

/** Draft of settings during editing. It is reset when settings other than the draft are passed in: after a cancel or a save. */
export function useSettingsDraft<T extends QuestionSettings>(given: () => T, update: (settings: T) => void) {
  const draft = shallowRef<{ settings: T }>({ settings: given() })
  watch(given, settings => {
    if (JSON.stringify(settings) !== JSON.stringify(draft.value.settings)) draft.value = { settings }
  })
  function change(part: Partial<T>): void {
    draft.value = { settings: { ...draft.value.settings, ...part } }
    update(draft.value.settings)
  }
  return { draft: computed(() => draft.value.settings), change }
}
