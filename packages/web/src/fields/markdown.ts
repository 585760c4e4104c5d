/**
 * Renders markdown to elements for all parts of the page.
 *
 * Short texts are rendered synchronously, so that the next record appears without a flash. Other texts, and those that would
 * block the page for too long, are parsed in a worker. Results are cached. The parser, the sanitizer, formulas, syntax
 * highlighting and the worker are loaded on first use.
 */
import type { Session } from '../session/session.ts'
import { whenIdle } from '../when-idle.ts'
import type { Parts } from './markdown-parse.ts'

/** `plain`: too long or too complex; shown as source. */
export type Rendered = DocumentFragment | 'plain'

/** Longer texts are shown as source. */
const LENGTH_MAX = 200_000
/** Short enough that no single parser step, which the time limit cannot interrupt, takes long. */
const SHORT_LENGTH_MAX = 8_000
/** Total time for short texts before the page must be able to respond, because a chat can have thousands of messages. */
const TASK_MAX_MS = 100
const KEPT_MAX = 100
const KEPT_LENGTH_MAX = 2_000_000

const parts: Parts = { highlight: null, formula: null }
interface Renderer {
  parse: (text: string) => string
  toElements: (html: string) => Rendered
}
let renderer: Renderer | null = null

const hasCode = (text: string) => /(?:^|\n)[ \t>]*(?:```|~~~)[ \t]*\w/.test(text)
const hasFormula = (text: string) => /\$[^$]+\$/.test(text)
const isShort = (text: string) => text.length <= SHORT_LENGTH_MAX

const isReady = (text: string) =>
  renderer !== null &&
  (!isShort(text) || ((parts.highlight !== null || !hasCode(text)) && (parts.formula !== null || !hasFormula(text))))

async function loadRenderer(): Promise<void> {
  const [{ openParser }, { sanitize }, { isWithinLimits }] = await Promise.all([
    import('./markdown-parse.ts'),
    import('./safe-html.ts'),
    import('./markup-limits.ts'),
  ])
  renderer ??= {
    parse: openParser(parts, TASK_MAX_MS),
    toElements: html => (isWithinLimits(html) ? sanitize(html) : 'plain'),
  }
}

async function loadHighlight(): Promise<void> {
  parts.highlight = (await import('./code.ts')).highlightCode
}

async function loadFormula(): Promise<void> {
  parts.formula = (await import('./maths.ts')).toFormula
}

async function loadParts(text: string): Promise<void> {
  if (isReady(text)) return
  await Promise.all([
    renderer === null ? loadRenderer() : null,
    parts.highlight === null && isShort(text) && hasCode(text) ? loadHighlight() : null,
    parts.formula === null && isShort(text) && hasFormula(text) ? loadFormula() : null,
  ])
}

const copyOf = (rendered: Rendered): Rendered => (rendered === 'plain' ? rendered : document.importNode(rendered, true))

let spentMs = 0

/** Returns undefined if the text cannot be rendered now: a part is not loaded, or it would take too long. */
function renderAtOnce(text: string): Rendered | undefined {
  if (renderer === null || !isReady(text) || !isShort(text) || spentMs > TASK_MAX_MS) return undefined
  const start = performance.now()
  if (spentMs === 0) setTimeout(() => (spentMs = 0))
  try {
    return renderer.toElements(renderer.parse(text))
  } catch {
    // Nested too deeply or too slow for the main thread; the worker decides.
    return undefined
  } finally {
    spentMs += performance.now() - start
  }
}

function openMarkdown(session: Session) {
  /** Cache: text -> rendered result, oldest first. Fragments are not part of a document, so nothing in them is loaded yet. */
  const kept = new Map<string, Rendered>()
  let keptLength = 0

  function keep(text: string, rendered: Rendered): Rendered {
    if (!kept.has(text)) keptLength += text.length
    kept.set(text, rendered)
    for (const oldest of kept.keys()) {
      if (kept.size <= KEPT_MAX && keptLength <= KEPT_LENGTH_MAX) break
      kept.delete(oldest)
      keptLength -= oldest.length
    }
    return rendered
  }

  function render(text: string): Rendered | undefined {
    if (text.length > LENGTH_MAX) return 'plain'
    const known = kept.get(text)
    if (known !== undefined) {
      kept.delete(text)
      kept.set(text, known)
      return copyOf(known)
    }
    const rendered = renderAtOnce(text)
    return rendered && copyOf(keep(text, rendered))
  }

  async function renderInWorker(text: string, isOnScreen: boolean): Promise<void> {
    const { openWorkerParser } = await import('./parse-in-worker.ts')
    const html = await session.own(openWorkerParser).parse(text, isOnScreen)
    if (!kept.has(text)) keep(text, html === null || renderer === null ? 'plain' : renderer.toElements(html))
  }

  return {
    /** Returns undefined if the text is not rendered yet: see `load`. */
    render,
    /** Loads the parts that this text needs, so that `render` returns a result. Rejects if there is no network. */
    async load(text: string): Promise<void> {
      await loadParts(text)
      if (render(text) === undefined) await renderInWorker(text, true)
    },
    /** Renders a text that is shown soon, when the browser is idle. */
    async prepare(text: string): Promise<void> {
      if (kept.has(text) || text.length > LENGTH_MAX) return
      await loadParts(text)
      whenIdle(() => {
        // On failure, the field that shows the text tries again.
        if (render(text) === undefined) renderInWorker(text, false).catch(() => undefined)
      })
    },
  }
}

export const markdownOf = (session: Session) => session.own(openMarkdown)
