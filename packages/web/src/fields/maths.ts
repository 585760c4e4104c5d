/** Renders formulas as MathML, which browsers draw natively: no fonts, and no inline styles, which the page's CSP blocks. */
import katex from 'katex'

/** KaTeX repeats the source as an annotation, which screen readers would read a second time. */
const ANNOTATION = /<annotation[^>]*>[^<]*<\/annotation>/g

export const toFormula = (source: string, isBlock: boolean): string =>
  katex
    .renderToString(source, {
      displayMode: isBlock,
      output: 'mathml',
      throwOnError: false,
      strict: 'ignore',
      trust: false,
      maxSize: 20,
    })
    .replace(ANNOTATION, '')
