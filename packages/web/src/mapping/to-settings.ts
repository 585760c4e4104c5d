/** Converts a plan to the request bodies that create its dataset. */
import type { FieldCreate } from '@postil/domain/fields'
import type { MetadataPropertyCreate } from '@postil/domain/metadata-properties'
import type { QuestionCreate } from '@postil/domain/questions'
import type { VectorsSettingsCreate } from '@postil/domain/vectors'
import { optionsOf, withOptions } from '../dataset-options.ts'
import { comparedIn } from './compared.ts'
import { type ColumnUse, type DatasetPlan, type Plan, type QuestionPlan, usesWith } from './plan.ts'

export interface SettingsBodies {
  fields: FieldCreate[]
  questions: QuestionCreate[]
  metadata_properties: MetadataPropertyCreate[]
  vectors_settings: VectorsSettingsCreate[]
}

export const toSettings = (plan: Plan): SettingsBodies => ({
  fields: usesWith(plan, 'field').map(toField),
  questions: plan.questions.map(toQuestion),
  metadata_properties: usesWith(plan, 'metadata').map(({ target, title, metadata }) => ({
    name: target.trim(),
    title: titleOf(title, target),
    settings: metadata === 'terms' ? { type: 'terms', values: null } : { type: metadata, min: null, max: null },
  })),
  vectors_settings: usesWith(plan, 'vector').map(({ target, title, dimensions }) => ({
    name: target.trim(),
    title: titleOf(title, target),
    dimensions,
  })),
})

export const toDatasetBody = ({ name, guidelines, minSubmitted }: DatasetPlan) => ({
  name: name.trim(),
  guidelines: guidelines.trim() || null,
  distribution: { strategy: 'overlap' as const, min_submitted: minSubmitted },
})

/** Options of the web UI for the dataset: compared fields are shown side by side. */
export function toDatasetOptions(plan: DatasetPlan) {
  const compared = comparedIn(plan)
  if (compared === null) return {}
  const options = { ...optionsOf({ metadata: null }), fieldLayout: 'side' as const, comparedFields: compared }
  return { metadata: withOptions({ metadata: null }, options) }
}

const titleOf = (title: string, name: string) => title.trim() || name.trim()

const toField = ({ target, title, kind, required }: ColumnUse): FieldCreate => ({
  name: target.trim(),
  title: titleOf(title, target),
  required,
  settings: fieldSettingsFor(kind),
})

export function fieldSettingsFor(kind: ColumnUse['kind']) {
  if (kind === 'image') return { type: 'image' as const }
  if (kind === 'chat') return { type: 'chat' as const, use_markdown: true }
  return { type: 'text' as const, use_markdown: kind === 'markdown' }
}

function toQuestion({ name, title, description, required, settings }: QuestionPlan): QuestionCreate {
  return {
    name: name.trim(),
    title: titleOf(title, name),
    description: description.trim() || null,
    required,
    settings,
  }
}
