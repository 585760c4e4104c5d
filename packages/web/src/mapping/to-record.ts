/** Converts a source row to a record for the preview, with the conversions of the import. */
import type { Field } from '@postil/domain/fields'
import { type FieldTypeName, fieldTypeOf } from '@postil/domain/fields/registry'
import { metadataTypeOf } from '@postil/domain/metadata/registry'
import type { Question } from '@postil/domain/questions'
import { questionTypeOf } from '@postil/domain/questions/registry'
import type { DatasetRecord } from '@postil/domain/records'
import type { Json } from '@postil/domain/schema'
import type { Suggestion } from '@postil/domain/suggestions'
import { type Plan, type SourceRows, usesWith } from './plan.ts'
import { toSettings } from './to-settings.ts'

/** Placeholder for timestamps of objects that are not stored yet. */
const NOW = '1970-01-01T00:00:00.000000'
const TIMES = { inserted_at: NOW, updated_at: NOW }
const NO_DATASET = '00000000-0000-0000-0000-000000000000'

/** Fields in the format of the API, with ids derived from their names. */
export function previewFields(plan: Plan): Field[] {
  return toSettings(plan).fields.map(
    field =>
      ({ ...field, required: field.required ?? false, id: `field:${field.name}`, dataset_id: NO_DATASET, ...TIMES }) as Field,
  )
}

export const previewQuestions = (plan: Pick<Plan, 'questions'>): Question[] =>
  plan.questions.map(question => ({
    ...question,
    title: question.title.trim() || question.name,
    description: question.description.trim() || null,
    id: `question:${question.name}`,
    dataset_id: NO_DATASET,
    ...TIMES,
  }))

export interface PreviewSettings {
  fields: readonly Field[]
  questions: readonly Question[]
}

export function previewRecord(plan: Plan, { columns, rows }: SourceRows, at: number, settings: PreviewSettings): DatasetRecord {
  const row = rows[at] ?? []
  const cellOf = (column: string | null): Json => row[columns.findIndex(({ name }) => name === column)] ?? null
  const fields = usesWith(plan, 'field').flatMap(({ column, target }): [string, Json][] => {
    const field = settings.fields.find(({ name }) => name === target)
    const value = isEmpty(cellOf(column)) ? null : cellOf(column)
    return field === undefined || value === null
      ? []
      : [[target, fieldTypeOf(field.settings).column.read(parsedFor(field, value))]]
  })
  const metadata = usesWith(plan, 'metadata').flatMap(({ column, target, metadata: type }): [string, Json][] => {
    const value = cellOf(column)
    return isEmpty(value) ? [] : [[target, metadataTypeOf({ type }).column.read(value)]]
  })
  return {
    id: `row:${at}`,
    status: 'pending',
    fields: Object.fromEntries(fields),
    metadata: Object.fromEntries(metadata),
    external_id: null,
    suggestions: suggestionsOf(plan, cellOf, settings.questions),
    dataset_id: NO_DATASET,
    ...TIMES,
  }
}

const isEmpty = (value: Json) => value === null || value === ''

/** Field types whose values are JSON in text files. */
const IS_JSON: Readonly<Record<FieldTypeName, boolean>> = { text: false, image: false, chat: true, custom: true }
const parsedFor = ({ settings }: Field, value: Json): Json =>
  typeof value === 'string' && IS_JSON[settings.type] ? parseJson(value) : value

function parseJson(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function suggestionsOf(plan: Plan, cellOf: (column: string | null) => Json, questions: readonly Question[]): Suggestion[] {
  return usesWith(plan, 'suggestion').flatMap(({ column, target }): Suggestion[] => {
    const question = questions.find(({ name }) => name === target)
    const given = cellOf(column)
    if (question === undefined || isEmpty(given)) return []
    const of = (role: 'score' | 'agent') => {
      const use = usesWith(plan, role).find(one => one.target === target)
      return use ? cellOf(use.column) : null
    }
    const type = questionTypeOf(question.settings)
    const score = of('score')
    return [
      {
        id: `suggestion:${target}`,
        question_id: question.id,
        type: 'model',
        value: type.column.read(type.listValued && typeof given === 'string' ? parseJson(given) : given),
        score: isEmpty(score) || Number.isNaN(Number(score)) ? null : Number(score),
        agent: typeof of('agent') === 'string' ? String(of('agent')) : null,
        ...TIMES,
      },
    ]
  })
}
