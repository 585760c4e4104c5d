/** Converts a plan to the mapping of an import. */
import { type Plan, usesWith } from './plan.ts'

interface Pair {
  source: string
  target: string
}

interface SuggestionPair {
  target: string
  value: string
  score?: string
  agent?: string
}

interface ResponsePair {
  target: string
  value: string
  user?: string
}

export interface ImportMapping {
  external_id: string | null
  fields: Pair[]
  metadata: Pair[]
  vectors: Pair[]
  suggestions: SuggestionPair[]
  responses: ResponsePair[]
}

export function toMapping(plan: Plan): ImportMapping {
  const pairs = (role: 'field' | 'metadata' | 'vector'): Pair[] =>
    usesWith(plan, role).flatMap(({ column, target }) => (column === null ? [] : [{ source: column, target: target.trim() }]))
  const columnOf = (role: 'score' | 'agent', question: string) =>
    usesWith(plan, role).find(({ target }) => target === question)?.column ?? null
  const user = usesWith(plan, 'user')[0]?.column ?? null
  return {
    external_id: usesWith(plan, 'external_id')[0]?.column ?? null,
    fields: pairs('field'),
    metadata: pairs('metadata'),
    vectors: pairs('vector'),
    suggestions: usesWith(plan, 'suggestion').flatMap(({ column, target }) => {
      if (column === null || target === '') return []
      const [score, agent] = [columnOf('score', target), columnOf('agent', target)]
      return [{ target, value: column, ...(score === null ? {} : { score }), ...(agent === null ? {} : { agent }) }]
    }),
    responses: usesWith(plan, 'response').flatMap(({ column, target }) =>
      column === null || target === '' ? [] : [{ target, value: column, ...(user === null ? {} : { user }) }],
    ),
  }
}
