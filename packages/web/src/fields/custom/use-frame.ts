/**
 * The life of one template's frame: it is sent a record when it is ready, tells its height, and is asked again and again whether
 * it still answers. A warm frame takes the next record as one more message; a template with scripts of its own gets a fresh
 * document each time.
 */
import { computed, onScopeDispose, type Ref, ref, type ShallowRef, watch } from 'vue'
import { type Look, readFrameMessage, type ToFrame } from './messages.ts'

export interface Shown {
  template: string
  advanced: boolean
  record: unknown
}

const PING_MS = 500
const PATIENCE_MS = 2000
/** A frame comes over the network, so it gets more time to begin. */
const START_PATIENCE_MS = 10_000
/** A template that grows with its frame, always by the same step, would never stop. */
const EQUAL_STEPS_MAX = 4

interface Frame {
  iframe: Readonly<ShallowRef<HTMLIFrameElement | null>>
  shown: () => Shown
  look: () => Look
}

export function useFrame({ iframe, shown, look }: Frame) {
  /** A new frame for each number. */
  const round = ref(0)
  const isReady = ref(false)
  const isDone = ref(false)
  const isStopped = ref(false)
  const isStuck = ref(false)
  const height = ref(40)
  const problem = ref<string | null>(null)
  let sequence = 0
  let step = 0
  let equalSteps = 0
  let pingedAt: number | null = null
  let startedAt = performance.now()

  const post = (message: ToFrame) => iframe.value?.contentWindow?.postMessage(message, '*')

  function show() {
    sequence++
    equalSteps = 0
    isDone.value = false
    problem.value = null
    post({ type: 'show', sequence, ...shown(), ...look() })
  }

  function restart() {
    round.value++
    isReady.value = false
    isDone.value = false
    isStopped.value = false
    isStuck.value = false
    problem.value = null
    pingedAt = null
    startedAt = performance.now()
  }

  function follow(next: number) {
    if (next === height.value || equalSteps >= EQUAL_STEPS_MAX) return
    equalSteps = next - height.value === step && step > 0 ? equalSteps + 1 : 0
    step = next - height.value
    height.value = next
  }

  function onMessage(event: MessageEvent) {
    if (iframe.value === null || event.source !== iframe.value.contentWindow) return
    const message = readFrameMessage(event.data)
    if (message === null) return
    // Whatever it says, it is alive.
    pingedAt = null
    isStuck.value = false
    if (message.type === 'ready' && !isReady.value) {
      isReady.value = true
      show()
    } else if (message.type === 'done' && message.sequence === sequence) isDone.value = true
    else if (message.type === 'height') follow(message.height)
    else if (message.type === 'error') problem.value = message.message
  }

  function ping() {
    if (isStopped.value || document.visibilityState === 'hidden') return
    if (!isReady.value) {
      isStuck.value = performance.now() - startedAt >= START_PATIENCE_MS
      return
    }
    isStuck.value = pingedAt !== null && performance.now() - pingedAt >= PATIENCE_MS
    if (pingedAt !== null) return
    pingedAt = performance.now()
    post({ type: 'ping' })
  }

  addEventListener('message', onMessage)
  const timer = setInterval(ping, PING_MS)
  onScopeDispose(() => {
    removeEventListener('message', onMessage)
    clearInterval(timer)
  })

  watch(shown, next => {
    // A record that made the template hang must not keep the next one from being shown.
    if (next.advanced || isStuck.value || isStopped.value) restart()
    else if (isReady.value) show()
  })
  watch(look, () => isReady.value && post({ type: 'look', ...look() }))

  return {
    round,
    height,
    problem,
    isStuck,
    isStopped,
    isShown: computed(() => isDone.value),
    restart,
    stop: () => {
      isStopped.value = true
      isStuck.value = false
    },
  } satisfies Record<string, Ref | (() => void)>
}
