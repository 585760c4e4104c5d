/**
 * Markdown to elements, for everything on the page that is written in it.
 *
 * Short texts are rendered at once, so that the next record appears without a flash. Others, and all that would keep the page busy
 * for too long at a time, are parsed by a worker. What was rendered is kept for a while. The parser, the sanitizer, formulas, code
 * colours and the worker are loaded when a text first needs them.
 */
import type { Session } from '../session/session.ts'
import { whenIdle } from '../when-idle.ts'
import type { Parts } from './markdown-parse.ts'

/** `plain`: too long or too complex, to be shown as it is written. */
export type Rendered = DocumentFragment | 'plain'

/** Nobody reads more in one field. */
const LENGTH_MAX = 200_000
/** Short enough that no single step of the parser, which the clock cannot interrupt, takes long. */
const SHORT_LENGTH_MAX = 8_000
/** Time that short texts may take together before the page must be able to do something else: a chat can have thousands. */
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

/** Undefined for a text that must not be rendered now: something is not loaded, or it would take too long. */
function renderAtOnce(text: string): Rendered | undefined {
  if (renderer === null || !isReady(text) || !isShort(text) || spentMs > TASK_MAX_MS) return undefined
  const start = performance.now()
  if (spentMs === 0) setTimeout(() => (spentMs = 0))
  try {
    return renderer.toElements(renderer.parse(text))
  } catch {
    // Too deep or too slow for here; the worker decides.
    return undefined
  } finally {
    spentMs += performance.now() - start
  }
}

function openMarkdown(session: Session) {
  /** Text -> what it was rendered to, the oldest first. Fragments belong to no page, so nothing in them is loaded yet. */
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
    /** Undefined while the text is not rendered: see `load`. */
    render,
    /** Loads what this text needs; `render` then has an answer. Fails without a network. */
    async load(text: string): Promise<void> {
      await loadParts(text)
      if (render(text) === undefined) await renderInWorker(text, true)
    },
    /** Renders a text that is shown soon, when the browser has nothing better to do. */
    async prepare(text: string): Promise<void> {
      if (kept.has(text) || text.length > LENGTH_MAX) return
      await loadParts(text)
      whenIdle(() => {
        // When it fails, the field that shows the text tries again.
        if (render(text) === undefined) renderInWorker(text, false).catch(() => undefined)
      })
    },
  }
}

export const markdownOf = (session: Session) => session.own(openMarkdown)
