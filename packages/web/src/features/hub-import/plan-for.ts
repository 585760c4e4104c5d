/** Builds the mapper's plan for a dataset on the hub, and converts it to the mapping of the import API. */
import type { HubColumn, HubDataset, HubMapping } from '@postil/domain/hub'
import { suggestedUsesOf, toTitle } from '../../mapping/from-columns.ts'
import { freeName, type Plan, type Role, usesWith } from '../../mapping/plan.ts'
import { type Translate, withRenamedQuestion, withTemplate } from '../../mapping/templates.ts'

/** Imports from the hub do not support scores, agents, vectors or responses. */
export const HUB_ROLES: readonly Role[] = ['field', 'metadata', 'suggestion', 'external_id', 'ignore']

/** Each class column becomes a question with its values as suggestions. */
export function planFor({ columns }: Pick<HubDataset, 'columns'>, words: Translate): Plan {
  const plan: Plan = { uses: suggestedUsesOf(columns), questions: [] }
  return columns.filter(({ is_class, distinct }) => is_class && (distinct?.length ?? 0) >= 2).reduce(withClasses(words), plan)
}

/** Names the question after its column. */
const withClasses = (words: Translate) => (plan: Plan, column: HubColumn) => {
  const built = withTemplate(plan, 'classification', words, { labelsFrom: column })
  const added = built.questions.at(-1)
  if (added === undefined) return built
  const taken = plan.questions.map(({ name }) => name)
  return withRenamedQuestion(built, added.name, { ...added, name: freeName(column.name, taken), title: toTitle(column.name) })
}

interface Pair {
  source: string
  target: string
}

function pairsOf(plan: Plan, role: 'field' | 'metadata' | 'suggestion'): Pair[] {
  return usesWith(plan, role).flatMap(({ column, target }) =>
    column === null || target.trim() === '' ? [] : [{ source: column, target: target.trim() }],
  )
}

export const toHubMapping = (plan: Plan): HubMapping => ({
  fields: pairsOf(plan, 'field'),
  metadata: pairsOf(plan, 'metadata'),
  suggestions: pairsOf(plan, 'suggestion'),
  external_id: usesWith(plan, 'external_id')[0]?.column ?? null,
})

/** Returns the mapping in the format of the Python client. */
export const toClientMapping = ({ fields, metadata = [], suggestions = [], external_id }: HubMapping): Record<string, string> =>
  Object.fromEntries([
    ...(external_id == null ? [] : [[external_id, 'id']]),
    ...[...fields, ...metadata].map(({ source, target }) => [source, target]),
    ...suggestions.map(({ source, target }) => [source, `${target}.suggestion`]),
  ])
