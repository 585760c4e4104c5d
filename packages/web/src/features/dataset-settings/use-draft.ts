/** Draft of one settings block, with validation. Saved or reset as a whole. */
import { computed, type Ref, type ShallowRef, shallowRef, watch } from 'vue'
import type { MessageKey } from '../../i18n/i18n.ts'
import { changedParts, isDeepEqual } from './changed-parts.ts'
import type { Issue } from './issues.ts'
import { useUnsaved } from './unsaved.ts'

export type Issues<T> = { [Part in keyof T]?: Issue | null }

interface DraftOptions<T> {
  stored(): T
  /** Labels of the parts. */
  names: { [Part in keyof T]: MessageKey }
  check?(draft: T): Issues<T>
  /** After it resolves, `stored` returns the saved values. */
  save(draft: T, changed: readonly (keyof T & string)[]): Promise<void>
}

/** State that the frame of a block needs. */
export interface BlockDraft {
  changed: Readonly<Ref<MessageKey[]>>
  isValid: Readonly<Ref<boolean>>
  isSaving: Readonly<Ref<boolean>>
  /** True if the block was saved and not edited since. */
  isSaved: Readonly<Ref<boolean>>
  problem: Readonly<Ref<unknown>>
  cancel(): void
  update(): Promise<void>
}

export function useDraft<T extends object>({ stored, names, check, save }: DraftOptions<T>) {
  const draft: ShallowRef<T> = shallowRef(stored())
  const problem = shallowRef<unknown>(null)
  const isSaving = shallowRef(false)
  const isSaved = shallowRef(false)
  const parts = computed<(keyof T & string)[]>(() => changedParts(stored(), draft.value))
  const issues = computed<Issues<T>>(() => check?.(draft.value) ?? {})
  const isValid = computed(() => Object.values(issues.value).every(issue => !issue))
  useUnsaved(computed(() => parts.value.length > 0))
  // If the stored version changes, for example by another block, an unedited draft follows.
  watch(stored, (next, before) => {
    if (isDeepEqual(draft.value, before)) draft.value = next
  })

  function change(part: Partial<T>): void {
    draft.value = { ...draft.value, ...part }
    isSaved.value = false
  }
  function cancel(): void {
    draft.value = stored()
    problem.value = null
  }
  async function update(): Promise<void> {
    if (parts.value.length === 0 || !isValid.value || isSaving.value) return
    const sent = draft.value
    isSaving.value = true
    problem.value = null
    try {
      await save(sent, parts.value)
      // Edits made during the save are kept.
      if (draft.value === sent) draft.value = stored()
      isSaved.value = true
    } catch (error) {
      problem.value = error
    } finally {
      isSaving.value = false
    }
  }
  const block: BlockDraft = {
    changed: computed(() => parts.value.map(part => names[part])),
    isValid,
    isSaving,
    isSaved,
    problem,
    cancel,
    update,
  }
  return { draft, issues, change, block }
}
