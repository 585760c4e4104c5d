/**
 * Converts markdown to HTML that is not yet sanitized. Only `markdown.ts` and its worker call it, and they sanitize the result.
 */
import { Marked, type MarkedExtension, type TokenizerAndRendererExtension } from 'marked'

/** Parts loaded only for texts that need them; without them, the source is shown. */
export interface Parts {
  highlight: ((code: string, language: string) => string | null) | null
  formula: ((source: string, isBlock: boolean) => string) | null
}

const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

// Prices such as `$5 and $6` are not formulas: no whitespace inside the dollar signs, no digit after the closing one.
const INLINE = /^\$(?!\s|\$)((?:\\[\s\S]|[^$\\\n])+?)(?<!\s)\$(?!\d)/
const BLOCK = /^\$\$([\s\S]+?)\$\$(?:\n|$)/
const BLOCK_IN_LINE = /^\$\$([^$]+?)\$\$/

interface Formula {
  name: string
  level: 'block' | 'inline'
  /** Text at which a formula may start. It ends a paragraph, or plain text within a line. */
  start: string
  patterns: RegExp[]
}

/** Maximum distance to search for the next formula, because the search runs at every paragraph and character. */
const LOOK_AHEAD = 5_000

const FORMULAS: Formula[] = [
  { name: 'formulaBlock', level: 'block', start: '\n$$', patterns: [BLOCK] },
  { name: 'formula', level: 'inline', start: '$', patterns: [BLOCK_IN_LINE, INLINE] },
]

const toExtension = (
  { name, level, start, patterns }: Formula,
  toFormula: (source: string, isBlock: boolean) => string | null,
): TokenizerAndRendererExtension => ({
  name,
  level,
  start: source => {
    const at = source.slice(0, LOOK_AHEAD).indexOf(start)
    return at === -1 ? undefined : at
  },
  tokenizer(source) {
    const found = patterns.map(pattern => pattern.exec(source)).find(match => match !== null)
    return found ? { type: name, raw: found[0], text: found[1]?.trim() ?? '', isBlock: found[0].startsWith('$$') } : undefined
  },
  renderer: ({ text, raw, isBlock }) => toFormula(text, isBlock === true) ?? `<code>${escapeHtml(raw)}</code>`,
})

/** Limits for the slow parts per text; beyond them, the source is shown. */
const FORMULAS_MAX = 300
const FORMULA_LENGTH_MAX = 5_000
const CODE_LENGTH_MAX = 100_000
/** Maximum number of elements that highlighting and formulas may add, each. */
const ADDED_ELEMENTS_MAX = 2_000

const countElements = (html: string) => html.split('</').length - 1

/**
 * Limits the use of the parts and the time per text. Some texts of a few thousand characters keep a parser busy for minutes, so
 * the time is checked at every step.
 */
function openBudget(parts: Parts, timeMaxMs: number) {
  let end = 0
  let formulas = 0
  let codeLength = 0
  let added = { formulas: 0, code: 0 }
  return {
    reset() {
      end = performance.now() + timeMaxMs
      formulas = 0
      codeLength = 0
      added = { formulas: 0, code: 0 }
    },
    /** Returns false, which tells the parser that this tokenizer does not handle the text. */
    checkTime(): false {
      if (performance.now() > end) throw new Error('This text takes too long to parse')
      return false
    },
    formula(source: string, isBlock: boolean) {
      this.checkTime()
      formulas++
      if (formulas > FORMULAS_MAX || source.length > FORMULA_LENGTH_MAX || added.formulas > ADDED_ELEMENTS_MAX) return null
      const html = parts.formula?.(source, isBlock) ?? null
      added.formulas += countElements(html ?? '')
      return html
    },
    highlight(code: string, language: string) {
      this.checkTime()
      codeLength += code.length
      if (codeLength > CODE_LENGTH_MAX) return null
      const html = parts.highlight?.(code, language) ?? null
      added.code += countElements(html ?? '')
      return added.code > ADDED_ELEMENTS_MAX ? null : html
    },
  }
}

/** Creates a parser whose parts may be set later. It throws for texts that are nested too deeply or take too long. */
export function openParser(parts: Parts, timeMaxMs: number): (text: string) => string {
  const budget = openBudget(parts, timeMaxMs)
  const options: MarkedExtension = {
    gfm: true,
    breaks: true,
    // These tokenizers run first at every step, between paragraphs and within them.
    tokenizer: { space: () => budget.checkTime(), escape: () => budget.checkTime() },
    renderer: {
      code({ text, lang }) {
        const highlighted = budget.highlight(text, /^\S*/.exec(lang ?? '')?.[0] ?? '')
        return `<pre><code class="hljs">${highlighted ?? escapeHtml(text)}</code></pre>\n`
      },
      listitem(item) {
        return `<li${item.task ? ' class="task"' : ''}>${this.parser.parse(item.tokens)}</li>\n`
      },
      // A character instead of a checkbox, because the task list is read-only.
      checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
    },
  }
  const plain = new Marked(options)
  const withFormulas = new Marked(options, {
    extensions: FORMULAS.map(formula => toExtension(formula, (source, isBlock) => budget.formula(source, isBlock))),
  })
  return text => {
    budget.reset()
    // Texts without `$` skip the search for formulas, which costs time at every character.
    return (text.includes('$') ? withFormulas : plain).parse(text, { async: false })
  }
}
