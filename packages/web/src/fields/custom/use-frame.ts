/**
 * Lifecycle of a template on the page: takes a frame, sends it a record once it is ready, follows its height, and pings it to
 * detect hangs. A pooled frame receives the next record as a message; a template with its own scripts gets a new document for
 * each record.
 */
import { onBeforeUnmount, onMounted, type Ref, ref, type ShallowRef, shallowRef, watch } from 'vue'
import { useSession } from '../../session/use-session.ts'
import { dropAllFrames, dropFrame, type PooledFrame, returnFrame, takeFrame, takeTurn } from './frame-pool.ts'
import { useHeights } from './heights.ts'
import type { FromFrame, Look } from './messages.ts'

export interface Shown {
  /** Id of the record and the field. */
  id: string
  template: string
  advanced: boolean
  record: unknown
  /** Hosts from which it may load images, in addition to those in the server's settings. */
  hosts: readonly string[]
}

const PING_MS = 500
const PATIENCE_MS = 2000
/** Timeout for the start of a frame; longer, because the frame is loaded over the network. */
const START_PATIENCE_MS = 10_000
/** Maximum number of equal height changes in a row. Stops templates that grow with their frame in an endless loop. */
const EQUAL_STEPS_MAX = 4

interface Problem {
  kind: 'template_failed' | 'template_library'
  message: string
}

interface Options {
  isInList: () => boolean
  place: Readonly<ShallowRef<HTMLElement | null>>
  shown: () => Shown
  look: () => Look
}

/** Frames still contain their last record, so they are removed when the session ends. */
const openFrames = () => ({ close: dropAllFrames })

export function useFrame({ place, shown, look, isInList }: Options) {
  const isDone = ref(false)
  const isStopped = ref(false)
  const isStuck = ref(false)
  const heights = useHeights()
  useSession().own(openFrames)
  const height = ref(heights.known(shown().id))
  const problem = ref<Problem | null>(null)
  /** URL of an image on a host that is not allowed yet. */
  const refused = ref<string | null>(null)
  const element = shallowRef<HTMLIFrameElement | null>(null)
  let frame: PooledFrame | null = null
  let giveUp = () => {}
  let hasShown = false
  let sequence = 0
  let step = 0
  let equalSteps = 0
  let pingedAt: number | null = null
  let startedAt = performance.now()

  function show() {
    sequence++
    hasShown = true
    equalSteps = 0
    isDone.value = false
    problem.value = null
    refused.value = null
    const { template, advanced, record } = shown()
    frame?.post({ type: 'show', sequence, template, advanced, record, ...look() })
  }

  function begin() {
    if (!place.value) return
    startedAt = performance.now()
    hasShown = false
    frame = takeFrame(place.value, shown().hosts)
    frame.onMessage = onMessage
    frame.onTaken = onTaken
    element.value = frame.element
    if (frame.isReady) show()
  }

  /** Removes the frame and resets its state. */
  function end() {
    giveUp()
    if (frame) dropFrame(frame)
    frame = null
    element.value = null
    pingedAt = null
    isDone.value = false
    isStuck.value = false
    problem.value = null
    refused.value = null
  }

  function restart() {
    end()
    isStopped.value = false
    giveUp = takeTurn(begin, isInList())
  }

  /** Removed together with a hanging frame. Starts again only once visible, because it may be the cause itself. */
  function onTaken() {
    frame = null
    end()
    if (place.value) giveUp = whenSeen(place.value, () => (giveUp = takeTurn(begin, true)))
  }

  function stop() {
    end()
    isStopped.value = true
    dropAllFrames()
  }

  /** Returns the frame to the pool if it is in a known state; otherwise removes it. */
  function leave() {
    clearInterval(timer)
    giveUp()
    if (!frame) return
    const isClean = isDone.value && !isStuck.value && problem.value === null && !shown().advanced
    if (isClean) returnFrame(frame)
    else dropFrame(frame)
    if (isStuck.value) dropAllFrames()
  }

  function follow(next: number) {
    if (next === height.value || equalSteps >= EQUAL_STEPS_MAX) return
    equalSteps = next - height.value === step && step > 0 ? equalSteps + 1 : 0
    step = next - height.value
    height.value = next
    heights.keep(shown().id, next)
  }

  function onMessage(message: FromFrame) {
    // Any message proves that the frame responds.
    pingedAt = null
    isStuck.value = false
    if (message.type === 'ready' && !hasShown) show()
    else if (message.type === 'done' && message.sequence === sequence) isDone.value = true
    else if (message.type === 'height') follow(message.height)
    else if (message.type === 'refused') refused.value ??= message.url
    else if (message.type === 'error') problem.value = { kind: 'template_failed', message: message.message }
    else if (message.type === 'missing') problem.value = { kind: 'template_library', message: message.address }
  }

  function ping() {
    if (isStopped.value || frame === null || document.visibilityState === 'hidden') return
    if (!frame.isReady) {
      isStuck.value = performance.now() - startedAt >= START_PATIENCE_MS
      return
    }
    isStuck.value = pingedAt !== null && performance.now() - pingedAt >= PATIENCE_MS
    if (pingedAt !== null) return
    pingedAt = performance.now()
    frame.post({ type: 'ping' })
  }
  const timer = setInterval(ping, PING_MS)

  onMounted(() => {
    giveUp = takeTurn(begin, isInList())
  })
  onBeforeUnmount(leave)

  watch(shown, (next, last) => {
    height.value = heights.known(next.id, height.value)
    // A hanging template is restarted, so that the next record can be shown.
    const isOther = next.hosts.join() !== last.hosts.join()
    if (isOther || next.advanced || last.advanced || isStuck.value || isStopped.value) restart()
    else if (frame?.isReady) show()
  })
  watch(look, () => frame?.isReady && frame.post({ type: 'look', ...look() }))

  return {
    element,
    height,
    problem,
    refused,
    isStuck,
    isStopped,
    isDone,
    restart,
    stop,
  } satisfies Record<string, Ref | (() => void)>
}

function whenSeen(element: Element, run: () => void): () => void {
  const observer = new IntersectionObserver(entries => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return
    observer.disconnect()
    run()
  })
  observer.observe(element)
  return () => observer.disconnect()
}
