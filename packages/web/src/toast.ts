/** Shows one message at a time about recent events. A toast is never the only place where an error is shown. */
import { shallowRef } from 'vue'

export interface Toast {
  kind: 'info' | 'warning' | 'danger'
  text: string
  action?: { label: string; run(): void }
}

export const toast = shallowRef<Toast | null>(null)
let timer: ReturnType<typeof setTimeout> | undefined

export function showToast(next: Toast): void {
  toast.value = next
  clearTimeout(timer)
  timer = setTimeout(hideToast, next.kind === 'danger' ? 12_000 : 6_000)
}

export function hideToast(): void {
  toast.value = null
}
