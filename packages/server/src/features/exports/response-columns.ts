/** Response columns: lists of all responses, the responses of one user, resolved answers, or one response per row. */
import type { ColumnType } from '@postil/domain/columns'
import type { ResolvedAnswer } from '@postil/domain/exports/resolve'
import { ownProperty } from '@postil/domain/own-property'
import type { Json } from '@postil/domain/schema'
import type { DatasetSettings } from '../datasets/settings.ts'
import type { ColumnsOptions, ExportColumn, ExportedRecord, ExportedResponse } from './columns.ts'

const kind = 'response'

/** Null if the response does not answer the question. */
const answerOf = ({ values }: ExportedResponse, name: string): Json => ownProperty(values, name)?.value ?? null

export function listResponseColumns(settings: DatasetSettings, options: ColumnsOptions): ExportColumn[] {
  const { responses, shape, usernames } = options
  const names = settings.questions.map(({ name }) => name)
  const typeOf = (name: string): ColumnType => settings.rules.questions.get(name)?.type.column.type ?? 'json'
  if (responses.of === 'none') return []
  if (shape === 'long') {
    return [...listAuthorColumns(usernames), ...names.map(name => toAnswer(name, typeOf(name), (_, response) => response))]
  }
  if (responses.of === 'resolved') return names.flatMap(name => listResolvedColumns(name, settings))
  if (responses.of === 'all') return names.flatMap(name => listAllColumns(name, typeOf(name)))
  const ofUser = ({ responses: all }: ExportedRecord) => all.find(({ user_id }) => user_id === responses.user_id) ?? null
  return [
    { name: 'response.status', kind, type: 'string', read: record => ofUser(record)?.status },
    ...names.map(name => toAnswer(name, typeOf(name), ofUser)),
  ]
}

type Find = (record: ExportedRecord, response: ExportedResponse | null) => ExportedResponse | null

const toAnswer = (name: string, type: ColumnType, find: Find): ExportColumn => ({
  name: `${name}.response`,
  kind,
  type,
  read: (record, response) => {
    const found = find(record, response)
    return found && answerOf(found, name)
  },
})

const listAuthorColumns = (usernames: ColumnsOptions['usernames']): ExportColumn[] => [
  { name: 'response.user_id', kind, type: 'string', read: (_, response) => response?.user_id },
  {
    name: 'response.username',
    kind,
    type: 'string',
    read: (_, response) => response && (usernames.get(response.user_id) ?? null),
  },
  { name: 'response.status', kind, type: 'string', read: (_, response) => response?.status },
  { name: 'response.updated_at', kind, type: 'timestamp', read: (_, response) => response?.updated_at },
]

/** Three parallel lists. Submitted responses without a value are omitted, because clients reject them. */
function listAllColumns(name: string, type: ColumnType): ExportColumn[] {
  const listed = (read: (response: ExportedResponse) => Json) => (record: ExportedRecord) => {
    const answered = record.responses.filter(response => answerOf(response, name) !== null || response.status !== 'submitted')
    return answered.length === 0 ? null : answered.map(read)
  }
  return [
    { name: `${name}.responses`, kind, type: { list: type }, read: listed(response => answerOf(response, name)) },
    { name: `${name}.responses.users`, kind, type: { list: 'string' }, read: listed(({ user_id }) => user_id) },
    { name: `${name}.responses.status`, kind, type: { list: 'string' }, read: listed(({ status }) => status) },
  ]
}

function listResolvedColumns(name: string, { rules }: DatasetSettings): ExportColumn[] {
  const type = rules.questions.get(name)?.type
  if (type === undefined) return []
  const resolve = createResolver(name, type.resolution.of)
  return [
    { name: `${name}.resolved`, kind, type: type.column.type, read: record => resolve(record).value },
    { name: `${name}.resolved.tied`, kind, type: type.resolution.tied, read: record => resolve(record).tied },
    { name: `${name}.resolved.responses`, kind, type: 'int64', read: record => submittedAnswers(record, name).length },
  ]
}

export const submittedAnswers = ({ responses }: ExportedRecord, name: string): Json[] =>
  responses.flatMap(response => {
    const answer = response.status === 'submitted' ? answerOf(response, name) : null
    return answer === null ? [] : [answer]
  })

/** Caches the result per record, because two columns need it. */
function createResolver(name: string, of: (answers: readonly Json[]) => ResolvedAnswer) {
  const known = new WeakMap<ExportedRecord, ResolvedAnswer>()
  return (record: ExportedRecord): ResolvedAnswer => {
    const resolved = known.get(record) ?? of(submittedAnswers(record, name))
    known.set(record, resolved)
    return resolved
  }
}
