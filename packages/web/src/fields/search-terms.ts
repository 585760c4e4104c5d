/** Terms of a search query to highlight, without negated ones. For `Highlight.terms`. */
import { parseTextQuery, type TextQuery } from '@postil/domain/search/text-query'
import type { Terms } from './find-hits.ts'

export function searchTerms(query: string): Terms {
  try {
    return collect(parseTextQuery(query))
  } catch {
    // The query is too large to search for, so there is nothing to highlight.
    return []
  }
}

const joined = (tokens: readonly string[]) => ({ text: tokens.join(' '), isPrefix: false })

function collect(tree: TextQuery): Terms {
  switch (tree.kind) {
    case 'and':
    case 'or':
      return tree.parts.flatMap(collect)
    case 'word':
      return tree.runs.map(joined)
    case 'phrase':
      return tree.slop === 0 ? [joined(tree.tokens)] : tree.tokens.map(token => joined([token]))
    case 'prefix':
      return [{ text: tree.start, isPrefix: true }]
    case 'fuzzy':
      return [joined([tree.token])]
    default:
      return []
  }
}
