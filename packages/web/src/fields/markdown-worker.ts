/** Web worker that parses markdown with all parts. Replies with null if a text is too complex. */
import { highlightCode } from './code.ts'
import { openParser } from './markdown-parse.ts'
import { isWithinLimits } from './markup-limits.ts'
import { toFormula } from './maths.ts'

const TIME_MAX_MS = 1_500
const parse = openParser({ highlight: highlightCode, formula: toFormula }, TIME_MAX_MS)

function toHtml(text: string): string | null {
  try {
    const html = parse(text)
    return isWithinLimits(html) ? html : null
  } catch {
    // Nested too deeply or too slow.
    return null
  }
}

addEventListener('message', ({ data }: MessageEvent<string>) => postMessage({ html: toHtml(data) }))
postMessage('ready')
