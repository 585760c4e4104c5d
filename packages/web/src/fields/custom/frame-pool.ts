/**
 * Frames for templates. Loading one costs more than all else on a card, so those that are no longer needed wait, warm, for the
 * next record: it is one message to them. Where a browser cannot move a frame without loading it again, each is a new one.
 */
import { BASE_PATH } from '../../server-address.ts'
import { type FromFrame, readFrameMessage, type ToFrame } from './messages.ts'

export interface PooledFrame {
  element: HTMLIFrameElement
  /** Of its document. It says what the document may load, so that a frame serves templates with the same hosts only. */
  url: string
  isReady: boolean
  /** It no longer shows our document: a link led it away, or a template wrote its own. */
  isLost: boolean
  post(message: ToFrame): void
  onMessage: (message: FromFrame) => void
  /** It was taken away, because of what another one did. */
  onTaken: () => void
}

interface Movable {
  moveBefore?(node: Node, child: Node | null): void
}

/** Under a name that changes with what is in it and what it may do, so that browsers keep it for work without a network. */
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

/** Out of sight, and out of reach of keys and readers. */
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
  // By attribute, so that it counts from the first document on.
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

/** True when it is now there as it was. */
function move({ element }: PooledFrame, place: Element): boolean {
  const { moveBefore } = place as Movable
  if (!moveBefore || !element.isConnected || !place.isConnected) return false
  moveBefore.call(place, element, null)
  return true
}

/** A frame whose document may load images of these hosts. */
export function takeFrame(place: Element, hosts: readonly string[]): PooledFrame {
  const url = frameUrl(hosts)
  for (let frame = spare.pop(); frame; frame = spare.pop()) {
    if (frame.url === url && move(frame, place)) return frame
    dropFrame(frame)
  }
  return makeFrame(place, url)
}

/** Before its place goes from the page. Only of one that shows nothing but what it was told to. */
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

/** A process takes a moment to end; a frame made meanwhile would be in it. */
const ENDED_MS = 1_000
let endedAt = Number.NEGATIVE_INFINITY

/**
 * Browsers run all our frames in one process: what loops in one holds up the others, also when it is gone from the page. The
 * process ends with the last of them.
 */
export function dropAllFrames(): void {
  endedAt = performance.now()
  for (const frame of [...bySource.values()]) {
    const { onTaken } = frame
    dropFrame(frame)
    onTaken()
  }
}

/** Cards that fly by while a list is scrolled are not worth a new frame. */
const SETTLED_MS = 150
const waiting: (() => void)[] = []
let isTaken = false

/**
 * One frame begins with each drawing of the page, and a new one only for what stays, so that a list of many can be scrolled
 * meanwhile. Answers how to give up.
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
