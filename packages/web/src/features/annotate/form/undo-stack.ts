/** Undo stack, newest step last. A new step clears the redo steps. */
import { computed, shallowRef } from 'vue'

export interface Step {
  undo(): void
  redo(): void
}

const STEPS_MAX = 200

export function openUndoStack() {
  const done = shallowRef<Step[]>([])
  const undone = shallowRef<Step[]>([])
  return {
    canUndo: computed(() => done.value.length > 0),
    canRedo: computed(() => undone.value.length > 0),
    push(step: Step): void {
      done.value = [...done.value, step].slice(-STEPS_MAX)
      undone.value = []
    },
    undo(): boolean {
      const step = done.value.at(-1)
      if (!step) return false
      done.value = done.value.slice(0, -1)
      undone.value = [...undone.value, step]
      step.undo()
      return true
    },
    redo(): boolean {
      const step = undone.value.at(-1)
      if (!step) return false
      undone.value = undone.value.slice(0, -1)
      done.value = [...done.value, step]
      step.redo()
      return true
    },
  }
}

export type UndoStack = ReturnType<typeof openUndoStack>
