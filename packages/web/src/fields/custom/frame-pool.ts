/**
 * Pool of frames for templates. Loading a frame is the most expensive part of a card, so unused frames are kept for the next
 * record, which then takes a single message. Browsers that cannot move a frame without reloading it get a new frame each time.
 */
import { BASE_PATH } from '../../server-address.ts'
import { type FromFrame, readFrameMessage, type ToFrame } from './messages.ts'

export interface PooledFrame {
  element: HTMLIFrameElement
  /**
   * URL of the frame's document. It defines the hosts that the document may load from, so a frame is reused only for templates
   * with the same hosts.
   */
  url: string
  isReady: boolean
  /** True if it no longer shows our document: a link navigated away, or a template replaced the document. */
  isLost: boolean
  post(message: ToFrame): void
  onMessage: (message: FromFrame) => void
  /** Called when all frames are removed because of another frame. */
  onTaken: () => void
}

interface Movable {
  moveBefore?(node: Node, child: Node | null): void
}

/** The file name changes with the content and the policy of the document, so that browsers can cache it for offline use. */
const frameName = () => document.querySelector<HTMLMetaElement>('meta[name=template-frame]')?.content ?? 'frame.html'
const frameUrl = (hosts: readonly string[]) =>
  BASE_PATH + frameName() + (hosts.length > 0 ? `?images=${hosts.toSorted().join(',')}` : '')
const SPARE_MAX = 8

const spare: PooledFrame[] = []
const bySource = new Map<MessageEventSource, PooledFrame>()
let shelf: HTMLElement | null = null

function onMessage({ source, data }: MessageEvent): void {
  const frame = source && bySource.get(source)
  const message = frame ? readFrameMessage(data) : null
  if (!frame || message === null) return
  if (message.type === 'ready') frame.isReady = true
  frame.onMessage(message)
}

const ignore = () => undefined

/** Hidden container for unused frames; inert for keyboard and screen readers. */
function openShelf(): HTMLElement {
  if (shelf !== null) return shelf
  addEventListener('message', onMessage)
  shelf = document.createElement('div')
  shelf.hidden = true
  shelf.inert = true
  document.body.append(shelf)
  return shelf
}

function makeFrame(place: Element, url: string): PooledFrame {
  openShelf()
  const element = document.createElement('iframe')
  // Set as an attribute before `src`, so that it applies to the first document.
  element.setAttribute('sandbox', 'allow-scripts')
  element.referrerPolicy = 'no-referrer'
  element.src = url
  place.append(element)
  const post = (message: ToFrame) => element.contentWindow?.postMessage(message, '*')
  const frame: PooledFrame = { element, url, isReady: false, isLost: false, post, onMessage: ignore, onTaken: ignore }
  if (element.contentWindow) bySource.set(element.contentWindow, frame)
  const lose = () => {
    frame.isLost = true
    if (spare.includes(frame)) dropFrame(frame)
  }
  element.addEventListener('load', () => element.addEventListener('load', lose, { once: true }), { once: true })
  return frame
}

/** Moves a frame without reloading it. Returns false if that is not possible. */
function move({ element }: PooledFrame, place: Element): boolean {
  const { moveBefore } = place as Movable
  if (!moveBefore || !element.isConnected || !place.isConnected) return false
  moveBefore.call(place, element, null)
  return true
}

/** Returns a frame whose document may load images from these hosts. */
export function takeFrame(place: Element, hosts: readonly string[]): PooledFrame {
  const url = frameUrl(hosts)
  for (let frame = spare.pop(); frame; frame = spare.pop()) {
    if (frame.url === url && move(frame, place)) return frame
    dropFrame(frame)
  }
  return makeFrame(place, url)
}

/**
 * Returns a frame to the pool. Call it before the frame's place leaves the document, and only for a frame that ran no scripts of
 * its own.
 */
export function returnFrame(frame: PooledFrame): void {
  frame.onMessage = ignore
  frame.onTaken = ignore
  if (!frame.isLost && spare.length < SPARE_MAX && move(frame, openShelf())) spare.push(frame)
  else dropFrame(frame)
}

export function dropFrame(frame: PooledFrame): void {
  frame.onMessage = ignore
  frame.onTaken = ignore
  for (const [source, known] of bySource) if (known === frame) bySource.delete(source)
  const at = spare.indexOf(frame)
  if (at >= 0) spare.splice(at, 1)
  frame.element.remove()
}

/** Time that a process needs to end; a frame created earlier would run in the old process. */
const ENDED_MS = 1_000
let endedAt = Number.NEGATIVE_INFINITY

/**
 * Removes all frames. Browsers run them in one process, so an endless loop in one blocks the others, even after it is removed
 * from the page. The process ends with the last frame.
 */
export function dropAllFrames(): void {
  endedAt = performance.now()
  for (const frame of [...bySource.values()]) {
    const { onTaken } = frame
    dropFrame(frame)
    onTaken()
  }
}

/** Delay for new frames in a list, so that cards that scroll past quickly do not create one. */
const SETTLED_MS = 150
const waiting: (() => void)[] = []
let isTaken = false

/**
 * Starts at most one frame per animation frame, and new ones only for cards that stay in view, so that long lists scroll
 * smoothly. Returns a function that cancels.
 */
export function takeTurn(begin: () => void, isInList: boolean): () => void {
  const isCold = spare.length === 0
  const pauseMs = Math.max(isInList && isCold ? SETTLED_MS : 0, endedAt + ENDED_MS - performance.now())
  const timer = pauseMs > 0 ? setTimeout(queue, pauseMs) : undefined
  function queue(): void {
    waiting.push(begin)
    if (!isTaken) nextTurn()
  }
  if (timer === undefined) queue()
  return () => {
    clearTimeout(timer)
    const at = waiting.indexOf(begin)
    if (at >= 0) waiting.splice(at, 1)
  }
}

function nextTurn(): void {
  const begin = waiting.shift()
  isTaken = begin !== undefined
  if (begin === undefined) return
  requestAnimationFrame(nextTurn)
  begin()
}
