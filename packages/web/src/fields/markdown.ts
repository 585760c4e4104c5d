/**
 * Markdown to elements, for everything on the page that is written in it.
 *
 * The parser, the sanitiser, formulas and code colours are loaded when a text first needs them. From then on a text is
 * rendered at once, so that the next record appears without a flash; what was rendered before is kept for a while.
 */
import { whenIdle } from '../when-idle.ts'
import type { Parts } from './markdown-parse.ts'

/** Nobody reads more in one field; it is shown as it is written. */
const LENGTH_MAX = 200_000
const KEPT_MAX = 100
const KEPT_LENGTH_MAX = 2_000_000

const parts: Parts = { highlight: null, formula: null }
let render: ((text: string) => DocumentFragment) | null = null

const hasCode = (text: string) => /(?:^|\n)[ \t>]*(?:```|~~~)[ \t]*\w/.test(text)
const hasFormula = (text: string) => /\$[^$]+\$/.test(text)

const isReady = (text: string) =>
  render !== null && (parts.highlight !== null || !hasCode(text)) && (parts.formula !== null || !hasFormula(text))

async function loadRender(): Promise<void> {
  const [{ openParser }, { sanitize }] = await Promise.all([import('./markdown-parse.ts'), import('./safe-html.ts')])
  const parse = openParser(parts)
  render ??= text => {
    try {
      return text.length > LENGTH_MAX ? asWritten(text) : sanitize(parse(text))
    } catch {
      // Too deep, or too slow.
      return asWritten(text)
    }
  }
}

function asWritten(text: string): DocumentFragment {
  const fragment = document.createDocumentFragment()
  const block = document.createElement('div')
  block.className = 'source'
  block.textContent = text
  fragment.append(block)
  return fragment
}

async function loadHighlight(): Promise<void> {
  parts.highlight = (await import('./code.ts')).highlightCode
}

async function loadFormula(): Promise<void> {
  parts.formula = (await import('./maths.ts')).toFormula
}

/** Loads what this text needs. */
export async function loadMarkdown(text: string): Promise<void> {
  if (isReady(text)) return
  await Promise.all([
    render === null ? loadRender() : null,
    parts.highlight === null && hasCode(text) ? loadHighlight() : null,
    parts.formula === null && hasFormula(text) ? loadFormula() : null,
  ])
}

/** Text -> fragment, the oldest first. Fragments belong to no page, so their pictures are not loaded yet. */
const kept = new Map<string, DocumentFragment>()
let keptLength = 0

function keep(text: string, fragment: DocumentFragment): void {
  kept.set(text, fragment)
  keptLength += text.length
  for (const oldest of kept.keys()) {
    if (kept.size <= KEPT_MAX && keptLength <= KEPT_LENGTH_MAX) return
    kept.delete(oldest)
    keptLength -= oldest.length
  }
}

/** Null while something this text needs is not loaded yet: see `loadMarkdown`. */
export function renderMarkdown(text: string): DocumentFragment | null {
  if (render === null || !isReady(text)) return null
  const known = kept.get(text)
  if (known !== undefined) {
    kept.delete(text)
    kept.set(text, known)
    return document.importNode(known, true)
  }
  const fragment = render(text)
  keep(text, fragment)
  return document.importNode(fragment, true)
}

/** Parses a text that is shown soon, when the browser has nothing better to do. */
export async function prepareMarkdown(text: string): Promise<void> {
  if (kept.has(text)) return
  await loadMarkdown(text)
  whenIdle(() => void renderMarkdown(text))
}
