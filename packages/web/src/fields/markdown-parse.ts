/** Markdown to HTML that nobody has checked yet: only `markdown.ts` calls this, and sanitises what it gets. */
import { Marked, type MarkedExtension, type TokenizerAndRendererExtension } from 'marked'

/** Parts that are loaded only for texts that need them; without them their source is shown. */
export interface Parts {
  highlight: ((code: string, language: string) => string | null) | null
  formula: ((source: string, isBlock: boolean) => string) | null
}

const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

// As people write prices, `$5 and $6` is no formula: no blank inside the signs, no digit after the last one.
const INLINE = /^\$(?!\s|\$)((?:\\[\s\S]|[^$\\\n])+?)(?<!\s)\$(?!\d)/
const BLOCK = /^\$\$([\s\S]+?)\$\$(?:\n|$)/
const BLOCK_IN_LINE = /^\$\$([^$]+?)\$\$/

interface Formula {
  name: string
  level: 'block' | 'inline'
  /** Where one may begin: a paragraph ends there, or plain text within a line. */
  start: string
  patterns: RegExp[]
}

/** Asked at every paragraph and sign, so not through the whole text each time. */
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

/**
 * Some texts of a few thousand signs keep a parser busy for minutes, and a record may hold such a text on purpose. The page that
 * shows it must not stop, so the parser looks at the clock with every step.
 */
const TIME_MAX_MS = 600
/** What one text may ask of the slow parts; what is beyond is shown as its source. */
const FORMULAS_MAX = 300
const FORMULA_LENGTH_MAX = 5_000
const CODE_LENGTH_MAX = 100_000

/** The parts, until a text has had enough of them. */
function openBudget(parts: Parts) {
  let end = 0
  let formulas = 0
  let codeLength = 0
  return {
    reset() {
      end = performance.now() + TIME_MAX_MS
      formulas = 0
      codeLength = 0
    },
    /** False, as a tokenizer says that the text is for others. */
    checkTime(): false {
      if (performance.now() > end) throw new Error('This text takes too long to parse')
      return false
    },
    formula(source: string, isBlock: boolean) {
      formulas++
      return formulas > FORMULAS_MAX || source.length > FORMULA_LENGTH_MAX ? null : (parts.formula?.(source, isBlock) ?? null)
    },
    highlight(code: string, language: string) {
      codeLength += code.length
      return codeLength > CODE_LENGTH_MAX ? null : (parts.highlight?.(code, language) ?? null)
    },
  }
}

/** A parser whose parts may be filled in later. It throws for texts that are too deep or take too long. */
export function openParser(parts: Parts): (text: string) => string {
  const budget = openBudget(parts)
  const options: MarkedExtension = {
    gfm: true,
    breaks: true,
    // The first that are asked at every step, between paragraphs and within one.
    tokenizer: { space: budget.checkTime, escape: budget.checkTime },
    renderer: {
      code({ text, lang }) {
        const highlighted = budget.highlight(text, /^\S*/.exec(lang ?? '')?.[0] ?? '')
        return `<pre><code class="hljs">${highlighted ?? escapeHtml(text)}</code></pre>\n`
      },
      listitem(item) {
        return `<li${item.task ? ' class="task"' : ''}>${this.parser.parse(item.tokens)}</li>\n`
      },
      // A sign instead of a box: there is nothing to tick here.
      checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
    },
  }
  const plain = new Marked(options)
  const withFormulas = new Marked(options, { extensions: FORMULAS.map(formula => toExtension(formula, budget.formula)) })
  return text => {
    budget.reset()
    // Looking for formulas costs time at every sign.
    return (text.includes('$') ? withFormulas : plain).parse(text, { async: false })
  }
}
