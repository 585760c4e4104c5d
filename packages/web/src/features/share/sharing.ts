/** Whether sharing is enabled on the server. Requested once, when there is progress to share. */
import { type Ref, ref, watchEffect } from 'vue'
import type { Session } from '../../session/session.ts'
import { useSession } from '../../session/use-session.ts'

function openSharing({ api }: Session) {
  const isOn = ref(false)
  let hasAsked = false

  async function ask(): Promise<void> {
    if (hasAsked) return
    hasAsked = true
    try {
      isOn.value = isSharingOn(await api.getSettings())
    } catch {
      // Optional information; the next use requests it again.
      hasAsked = false
    }
  }
  return { isOn, ask }
}

export function useSharing(isWanted: () => boolean): Readonly<Ref<boolean>> {
  const { isOn, ask } = useSession().own(openSharing)
  watchEffect(() => {
    if (isWanted()) void ask()
  })
  return isOn
}

export const isSharingOn = ({ argilla }: Record<string, unknown>): boolean =>
  typeof argilla === 'object' && argilla !== null && 'share_your_progress_enabled' in argilla
    ? argilla.share_your_progress_enabled === true
    : false
