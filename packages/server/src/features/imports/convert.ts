/** Converts rows of a file to records for the bulk upsert. Pure. */
import { type ImportMapping, RESPONSE_STATUS_OF_IMPORTS } from '@postil/domain/imports'
import type { RecordRules } from '@postil/domain/record-rules'
import type { RecordUpsert } from '@postil/domain/records'
import type { Id, Json } from '@postil/domain/schema'
import type { Values } from './tables/table.ts'
import { type Target, toOptions, toScore, toTargetValue, toVector } from './to-value.ts'

export interface ConvertOptions {
  mapping: ImportMapping
  rules: RecordRules
  /** Name of the file, used to build external ids for rows without one. */
  name: string
  actorId: Id
  /** Users who may have responses in the dataset, by username. */
  users: ReadonlyMap<string, Id>
}

/** A problem with the value of one column. */
export class ColumnProblem extends Error {
  override readonly name = 'ColumnProblem'
  readonly column: string

  constructor(column: string, message: string) {
    super(message)
    this.column = column
  }
}

/** Converts one row to a record. Throws a ColumnProblem. Validation rules are checked afterwards. */
export function toRecord(values: Values, rowNo: number, options: ConvertOptions): RecordUpsert {
  const { mapping, rules, name } = options
  const record = {
    external_id: toExternalId(values, rowNo, { mapping, name }),
    fields: Object.fromEntries(readFields(values, options)),
    ...(mapping.metadata?.length && { metadata: Object.fromEntries(readAll(values, mapping.metadata, rules.metadata)) }),
    ...(mapping.vectors?.length && { vectors: Object.fromEntries(readVectors(values, mapping.vectors)) }),
    ...(mapping.suggestions?.length && { suggestions: readSuggestions(values, options) }),
    ...(mapping.responses?.length && { responses: readResponses(values, options) }),
  }
  // The shape of items is checked after the conversion.
  return record as unknown as RecordUpsert
}

function toExternalId(values: Values, rowNo: number, { mapping, name }: Pick<ConvertOptions, 'mapping' | 'name'>): string {
  const column = mapping.external_id
  if (column == null) return `${name}-${rowNo}`
  const value = values[column] ?? null
  if (value === null) throw new ColumnProblem(column, 'The external id is empty')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

type Items = NonNullable<ImportMapping['metadata']>

/** Omits empty cells and targets that no longer exist. */
function readAll(values: Values, items: Items, targets: ReadonlyMap<string, Target>): [string, Json][] {
  return items.flatMap(({ source, target }): [string, Json][] => {
    const [value, rule] = [values[source] ?? null, targets.get(target)]
    return rule === undefined || value === null ? [] : [[target, toTargetValue(value, rule)]]
  })
}

function readFields(values: Values, { mapping, rules }: ConvertOptions): [string, Json][] {
  for (const { source, target } of mapping.fields) {
    const isEmpty = (values[source] ?? '') === ''
    if (isEmpty && rules.fields.get(target)?.required)
      throw new ColumnProblem(source, `Field \`${target}\` is required, and there is no value`)
  }
  return readAll(values, mapping.fields, rules.fields)
}

const readVectors = (values: Values, items: Items): [string, Json][] =>
  items.flatMap(({ source, target }): [string, Json][] => {
    const value = values[source] ?? null
    return value === null ? [] : [[target, toVector(value)]]
  })

const readAnswer = (value: Json, question: string, rules: RecordRules): Json => {
  const rule = rules.questions.get(question)
  if (rule === undefined) return value
  const { column } = rule.type
  const isTextList = typeof column.type === 'object' && 'list' in column.type && column.type.list === 'string'
  if (!isTextList || !('options' in rule.settings)) return toTargetValue(value, rule)
  const options = new Set(rule.settings.options.map(option => String(option.value)))
  return column.read(toOptions(value, text => options.has(text)))
}

function readSuggestions(values: Values, { mapping, rules }: ConvertOptions): object[] {
  return (mapping.suggestions ?? []).flatMap(({ target, value, score, agent, agent_name }) => {
    const [given, question] = [values[value] ?? null, rules.questions.get(target)]
    if (given === null || question === undefined) return []
    const scored = score == null ? null : (values[score] ?? null)
    const named = (agent == null ? undefined : values[agent]) ?? agent_name
    return {
      question_id: question.id,
      value: readAnswer(given, target, rules),
      ...(scored !== null && { score: toScore(scored) }),
      ...(named != null && { agent: typeof named === 'string' ? named : JSON.stringify(named) }),
    }
  })
}

interface ResponseOfRow {
  user_id: Id
  status: string
  values: { [question: string]: { value: Json } }
}

interface Answers {
  status: string
  values: [question: string, answer: { value: Json }][]
}

/** Builds one response per user from the answers in all of their columns. */
function readResponses(values: Values, { mapping, rules, actorId, users }: ConvertOptions): ResponseOfRow[] {
  const found = new Map<Id, Answers>()
  for (const { target, value, user, status = RESPONSE_STATUS_OF_IMPORTS } of mapping.responses ?? []) {
    const given = values[value] ?? null
    if (given === null) continue
    const userId = user == null ? actorId : findUser(values[user] ?? null, user, users)
    const answers = found.get(userId) ?? { status, values: [] }
    answers.values.push([target, { value: readAnswer(given, target, rules) }])
    found.set(userId, answers)
  }
  return Array.from(found, ([user_id, of]) => ({ user_id, status: of.status, values: Object.fromEntries(of.values) }))
}

function findUser(value: Json, column: string, users: ReadonlyMap<string, Id>): Id {
  if (value === null) throw new ColumnProblem(column, 'There is a response, but no username')
  const name = typeof value === 'string' ? value : JSON.stringify(value)
  const id = users.get(name) ?? users.get(name.normalize('NFC'))
  if (id === undefined)
    throw new ColumnProblem(column, 'There is no user of this name who is a member of the workspace or an owner')
  return id
}

/** Finds the column behind a validation error by its path, such as `['metadata', 'source']` or `['suggestions', 0, 'score']`. */
export function findColumn(at: readonly (string | number)[], values: Values, mapping: ImportMapping): string | null {
  const [part, key, ...rest] = at
  const ofTarget = (items: Items) => items.find(({ target }) => target === key)?.source ?? null
  if (part === 'external_id') return mapping.external_id ?? null
  if (part === 'fields') return ofTarget(mapping.fields)
  if (part === 'metadata') return ofTarget(mapping.metadata ?? [])
  if (part === 'vectors') return ofTarget(mapping.vectors ?? [])
  if (part === 'suggestions') {
    const item = (mapping.suggestions ?? []).filter(({ value }) => (values[value] ?? null) !== null)[Number(key)]
    if (rest[0] === 'score') return item?.score ?? null
    return rest[0] === 'agent' ? (item?.agent ?? null) : (item?.value ?? null)
  }
  const question = rest[rest.indexOf('values') + 1]
  if (part === 'responses') return (mapping.responses ?? []).find(({ target }) => target === question)?.value ?? null
  return null
}
