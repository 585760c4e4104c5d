/** Whether the server lets people share their progress: asked once, when somebody has something to share. */
import { type Ref, ref, watchEffect } from 'vue'
import type { Session } from '../../session/session.ts'
import { useSession } from '../../session/use-session.ts'

function open({ api }: Session) {
  const isOn = ref(false)
  let hasAsked = false

  async function ask(): Promise<void> {
    if (hasAsked) return
    hasAsked = true
    try {
      isOn.value = isSharingOn(await api.getSettings())
    } catch {
      // Nobody waits for it; the next look at the panel asks again.
      hasAsked = false
    }
  }
  return { isOn, ask }
}

export function useSharing(isWanted: () => boolean): Readonly<Ref<boolean>> {
  const { isOn, ask } = useSession().own(open)
  watchEffect(() => {
    if (isWanted()) void ask()
  })
  return isOn
}

export const isSharingOn = ({ argilla }: Record<string, unknown>): boolean =>
  typeof argilla === 'object' && argilla !== null && 'share_your_progress_enabled' in argilla
    ? argilla.share_your_progress_enabled === true
    : false
