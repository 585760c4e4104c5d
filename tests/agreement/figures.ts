/** Metrics and progress, computed from the records that the API returns. */
import { compareText } from '@postil/domain/search/compare-text'
import type { SearchDocument } from '@postil/domain/search/document'
import type { Caller } from '../contract/http.ts'
import { PEOPLE, type PersonName } from './records.ts'
import type { Request } from './test-query.ts'
import type { Truth } from './truth.ts'

type Figure = Extract<Request, { kind: 'metrics' | 'progress' | 'users_progress' | 'my_metrics' | 'agents' }>

export function expectedFigure(truth: Truth, request: Figure, people: Record<PersonName, Caller>, as: PersonName): unknown {
  switch (request.kind) {
    case 'metrics':
      return toMetrics(truth, request.propertyId)
    case 'progress': {
      const completed = truth.documents.filter(({ status }) => status === 'completed').length
      const total = truth.documents.length
      // All users have written a response.
      return { total, completed, pending: total - completed, users: PEOPLE.map(name => ({ username: people[name].username })) }
    }
    case 'users_progress':
      return { users: PEOPLE.map(name => toUserProgress(truth.documents, people[name])) }
    case 'my_metrics':
      return toMyMetrics(truth.documents, people[as].id)
    case 'agents':
      return { items: toAgents(truth) }
  }
}

function toMetrics({ documents, properties }: Truth, propertyId: string): unknown {
  const type = properties.find(({ id }) => id === propertyId)?.settings.type ?? 'terms'
  const values = documents.flatMap(({ metadata }) => metadata.get(propertyId) ?? [])
  if (type === 'terms') {
    const counts = [...Map.groupBy(values, String)].map(([term, same]) => ({ term, count: same.length }))
    counts.sort((one, other) => other.count - one.count || compareText(one.term, other.term))
    return { type, total: values.length, values: counts }
  }
  const numbers = values.map(Number)
  const rounded = (value: number) => Number(value.toFixed(5))
  return numbers.length === 0
    ? { type, min: null, max: null }
    : { type, min: rounded(Math.min(...numbers)), max: rounded(Math.max(...numbers)) }
}

function countStatuses(documents: readonly SearchDocument[], userId: string) {
  const statuses = documents
    .flatMap(({ responses }) => responses.filter(({ user_id }) => user_id === userId))
    .map(({ status }) => status)
  const of = (wanted: string) => statuses.filter(status => status === wanted).length
  return { submitted: of('submitted'), discarded: of('discarded'), draft: of('draft') }
}

function toUserProgress(documents: readonly SearchDocument[], { id, username }: Caller) {
  const under = (wanted: string) =>
    countStatuses(
      documents.filter(({ status }) => status === wanted),
      id,
    )
  return { username, completed: under('completed'), pending: under('pending') }
}

function toMyMetrics(documents: readonly SearchDocument[], userId: string) {
  const total = documents.length
  const counts = countStatuses(documents, userId)
  const count = counts.submitted + counts.discarded + counts.draft
  return { records: { count: total }, responses: { count, total, ...counts, pending: total - count } }
}

function toAgents({ documents, questions }: Truth) {
  return questions.map(({ id, name }) => {
    const agents = documents.flatMap(({ suggestions }) => suggestions.get(id)?.agent ?? [])
    return { question: { id, name }, agents: [...new Set(agents)].toSorted(compareText) }
  })
}
