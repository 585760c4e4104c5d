/** Formulas as MathML, which browsers draw themselves: no fonts, and none of the inline styles that the page's policy refuses. */
import katex from 'katex'

/** The source is repeated for machines; here it would be read out twice. */
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
