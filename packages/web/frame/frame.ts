/**
 * The document inside a template's frame. It has an opaque origin: no cookies, no storage, no access to the page except messages,
 * and no network access except the server's copies of libraries and images from allowed hosts. `SECURITY.md` lists the
 * guarantees.
 */
import { followsTheme } from '../src/fields/custom/follows-theme.ts'
import type { FromFrame, Look, ToFrame } from '../src/fields/custom/messages.ts'
import { findHits, type Terms } from '../src/fields/find-hits.ts'
import { readPageText } from '../src/fields/page-text.ts'
import { expand } from './expand.ts'
import { readCopies, withCopies } from './libraries.ts'
import { lockDown } from './lock-down.ts'

const BASE_STYLE = `
html { color: CanvasText; font: 16px/1.5 system-ui, "Noto Sans", sans-serif; overflow-wrap: anywhere; }
body { margin: 8px; }
img, video, canvas, svg { max-width: 100%; }
pre { white-space: pre-wrap; }
::highlight(postil-hit) { background-color: #FFE58A; color: #172124; }
`

const { open, write, close } = lockDown()
// Saved before a template runs, because templates may overwrite properties of `window`.
const page = window.parent
const send = (message: FromFrame) => page.postMessage(message, '*')
const copies = readCopies(document)
let words: Terms = []
let shown = ''
/** Cache for the last template, because consecutive records usually share it. */
let prepared = { source: '', ...withCopies('', copies) }

function addBaseStyle(): void {
  const style = document.createElement('style')
  style.textContent = BASE_STYLE
  document.head.prepend(style)
}

function applyLook(look: Look): void {
  const root = document.documentElement
  root.dataset.theme = look.theme
  root.style.colorScheme = look.theme === 'dark' && followsTheme(shown) ? 'dark' : ''
  root.lang = look.language
  root.dir = look.dir
  words = look.words
}

function mark(): void {
  if (!('highlights' in CSS)) return
  CSS.highlights.delete('postil-hit')
  if (words.length === 0) return
  const { text, toRange } = readPageText(document.body, false)
  const ranges = findHits(text, words).flatMap(([start, end]) => toRange(start, end) ?? [])
  CSS.highlights.set('postil-hit', new Highlight(...ranges))
}

function sendHeight(): void {
  const { body, documentElement } = document
  send({ type: 'height', height: Math.max(documentElement.getBoundingClientRect().height, body?.scrollHeight ?? 0) })
}

const resizes = new ResizeObserver(sendHeight)
let later: ReturnType<typeof setTimeout> | undefined
const changes = new MutationObserver(() => {
  clearTimeout(later)
  later = setTimeout(() => {
    sendHeight()
    mark()
  }, 100)
})

/** Observes the new elements; `document.open` replaces the old ones. */
function watchPage(): void {
  resizes.disconnect()
  resizes.observe(document.documentElement)
  // DOM clobbering: an element named `body` in the template can shadow `document.body`.
  if (document.body instanceof HTMLElement) resizes.observe(document.body)
  changes.observe(document, { childList: true, subtree: true, characterData: true })
}

function showBasic(template: string, record: unknown): void {
  document.body.replaceChildren(expand(template, record))
  scrollTo(0, 0)
}

/** Passes the record as a value on `window`; it is never inserted into script source. */
function showAdvanced(template: string, record: unknown): void {
  Object.defineProperty(window, 'record', { value: record, enumerable: true })
  open()
  // `document.open` removes all listeners.
  listen()
  write('<!doctype html><html><head></head><body>')
  addBaseStyle()
  write(template)
  close()
}

function show(message: Extract<ToFrame, { type: 'show' }>): void {
  shown = message.template
  if (prepared.source !== shown) prepared = { source: shown, ...withCopies(shown, copies) }
  const { template, missing } = prepared
  try {
    if (message.advanced) showAdvanced(template, message.record)
    else showBasic(template, message.record)
  } catch (error) {
    document.body.replaceChildren()
    send({ type: 'error', message: error instanceof Error ? error.message : String(error) })
  }
  applyLook(message)
  mark()
  watchPage()
  sendHeight()
  for (const address of missing.slice(0, 1)) send({ type: 'missing', address })
  send({ type: 'done', sequence: message.sequence })
}

function onMessage(event: MessageEvent<ToFrame>): void {
  if (event.source !== page) return
  const message = event.data
  if (message.type === 'ping') send({ type: 'pong' })
  else if (message.type === 'show') show(message)
  else if (message.type === 'look') {
    applyLook(message)
    mark()
  }
}

function listen(): void {
  addEventListener('message', onMessage)
  addEventListener('error', event => send({ type: 'error', message: event.message }))
  addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => {
    if (/^(?:img|media)-src$/.test(effectiveDirective)) send({ type: 'refused', url: blockedURI })
  })
  addEventListener('unhandledrejection', event => send({ type: 'error', message: String(event.reason) }))
}

listen()
addBaseStyle()
// The body exists once the document is parsed.
addEventListener('DOMContentLoaded', () => send({ type: 'ready' }))
