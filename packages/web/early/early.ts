/**
 * The first script of a page. It draws the record of the last visit to this URL, then the first record from the data embedded in
 * the page, lets the browser paint it, and loads the application, which is many times larger. The early record covers the
 * application until the application has drawn the same record.
 */

import { directionOf } from '../src/fields/direction.ts'
import { type FirstRecord, findKeptRecord } from '../src/fields/first-record.ts'
import { toChunks } from '../src/fields/text/chunks.ts'
import { applyLook, LOOK } from '../src/look.ts'
import { createItems } from '../src/storage/items.ts'
import { findFirstRecord } from './first-record.ts'

/** Replaced with the file name of the application's script (`build-early.ts`). */
const APPLICATION = './application.js'
/** Maximum time to wait for the first paint. Background tabs are not painted. */
const PAINTED_MS = 300
/**
 * Time after which the early record is removed in any case: the application has started by then and may show something other than
 * a record.
 */
const SHOWN_MS = 3_000

const findEmbeddedResponses = () =>
  Array.from(document.querySelectorAll<HTMLScriptElement>('script[data-call]'), ({ dataset, textContent }) => ({
    call: dataset.call ?? '',
    user: dataset.user ?? '',
    text: textContent,
  }))

function add(parent: Element, className: string, tag = 'div', text = ''): HTMLElement {
  const element = document.createElement(tag)
  element.className = className
  if (text) element.textContent = text
  parent.append(element)
  return element
}

/** Uses the CSS classes of the annotation page, so that the layout does not shift when the application takes over. */
function draw({ userId, dataset, texts }: FirstRecord): HTMLElement {
  const items = createItems(userId)
  const preferences = Object(items.read('preferences'))
  applyLook({ ...LOOK, ...preferences })
  const early = document.createElement('div')
  early.id = 'early'
  early.inert = true
  early.style.cssText =
    'position: fixed; inset: 0; display: grid; grid-template: auto minmax(0, 1fr) / minmax(0, 1fr); background: var(--desk)'
  drawBar(early, dataset)
  const work = add(early, 'work')
  const columns = Number(items.get(`columns.${dataset.id}`))
  if (columns > 0) work.style.setProperty('--columns', `${columns}%`)
  const page = add(work, 'page', 'section')
  add(page, 'tools')
  const record = add(add(page, 'sheet'), 'record', 'article')
  add(record, 'record-head', 'header')
  for (const { title, text } of texts) {
    const field = add(record, 'record-field', 'section')
    add(add(field, 'field-head'), '', 'b', title)
    drawText(add(field, 'field-body'), text, preferences.wrap !== false)
  }
  add(work, 'margin', 'section')
  return early
}

function drawBar(early: HTMLElement, { name, workspace }: FirstRecord['dataset']): void {
  const bar = add(early, 'bar', 'header')
  const mark = document.querySelector('#app .mark')
  if (mark) bar.append(mark.cloneNode(true))
  const crumbs = add(bar, 'crumbs')
  add(crumbs, 'workspace', 'a', workspace).dir = 'auto'
  add(crumbs, 'workspace', 'i', '/')
  add(crumbs, '', 'b', name).dir = 'auto'
}

/** Draws the same markup as `plain-text.vue`. Only the first chunk is drawn, which is longer than a screen. */
function drawText(parent: HTMLElement, text: string, wraps: boolean): void {
  const plain = add(parent, 'plain')
  plain.style.cssText = `white-space: ${wraps ? 'pre-wrap' : 'pre'}; overflow-wrap: anywhere; tab-size: 4; overflow: clip`
  plain.dir = directionOf(text)
  for (const { text: line, direction } of toChunks(text)[0]?.paragraphs ?? []) add(plain, '', 'div', line).dir = direction
}

/**
 * Removes the early record as soon as the application has drawn its own. The mutation observer runs before the next paint, so the
 * record is never missing and never visible twice.
 */
function removeWhenShown(early: HTMLElement): { end(): void } {
  const app = document.querySelector('#app')
  const observer = new MutationObserver(() => {
    if (app?.querySelector('[data-testid=record]:not([hidden]), [role=alert], main:not(.work)')) end()
  })
  const end = () => {
    observer.disconnect()
    early.remove()
  }
  if (app) observer.observe(app, { childList: true, subtree: true })
  return { end }
}

/** Layout that the user chose for this dataset. */
const isSideBySide = ({ userId, dataset }: FirstRecord) =>
  createItems(userId)
    .get('field-layouts')
    ?.includes(JSON.stringify([dataset.id, 'side'])) ?? false

interface EarlyRecord {
  record: FirstRecord
  painted: Promise<void>
  end(): void
}

/** Returns null if there is no record, or if only the application can draw it. */
function show(find: () => FirstRecord | null): EarlyRecord | null {
  try {
    const record = find()
    if (!record || isSideBySide(record)) return null
    const early = draw(record)
    document.body.append(early)
    return { record, painted: nextPaint(), ...removeWhenShown(early) }
  } catch (error) {
    // Not fatal: the application draws the record.
    reportError(error)
    return null
  }
}

const nextPaint = () =>
  new Promise<void>(resolve => {
    if (document.visibilityState !== 'visible') return resolve()
    setTimeout(resolve, PAINTED_MS)
    requestAnimationFrame(() => setTimeout(resolve))
  })

const isParsed = () => document.readyState !== 'loading'

/** The data is at the end of the page. */
async function pageEnd(): Promise<void> {
  while (!isParsed()) await new Promise(resolve => document.addEventListener('readystatechange', resolve, { once: true }))
  // Written by the service worker: the server has another version of the page.
  if (!document.querySelector('script[data-reload]')) return
  location.reload()
  await new Promise(() => undefined)
}

/** Also removes the kept record if the server did not send one: the user may be signed out, or the record gone. */
function replace(kept: EarlyRecord | null): EarlyRecord | null {
  const served = () => findFirstRecord(findEmbeddedResponses(), location.search.slice(1))
  if (kept && JSON.stringify(findOrNull(served)) === JSON.stringify(kept.record)) return kept
  kept?.end()
  return show(served)
}

function findOrNull(find: () => FirstRecord | null): FirstRecord | null {
  try {
    return find()
  } catch {
    return null
  }
}

const kept = isParsed() ? null : show(() => findKeptRecord(location.pathname, location.search))
await pageEnd()
const earlyRecord = replace(kept)
await earlyRecord?.painted
try {
  await import(/* @vite-ignore */ APPLICATION)
} finally {
  if (earlyRecord) setTimeout(earlyRecord.end, SHOWN_MS)
}
