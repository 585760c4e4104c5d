/** Converts the choices of the wizard to a program for the Python SDK, and to request bodies of the HTTP API. */
import type { MetadataTypeName } from '@postil/domain/metadata/registry'
import { questionTypeOf } from '@postil/domain/questions/registry'
import { MASK, pythonSnippet } from '../datasets/python-snippet.ts'
import { pythonCallOf } from '../questions/python-call.ts'
import { type ColumnUse, type DatasetPlan, type Plan, type QuestionPlan, usesWith } from './plan.ts'
import { toMapping } from './to-import.ts'
import { toDatasetBody, toSettings } from './to-settings.ts'

export interface SourceDescription {
  /** File name. */
  name: string
  format: 'csv' | 'tsv' | 'json' | 'jsonl' | 'parquet' | 'excel'
  encoding?: string | undefined
  separator?: string | undefined
  sheet?: string | undefined
}

export interface WizardRun {
  serverUrl: string
  /** Null if records are added to an existing dataset. */
  plan: DatasetPlan | null
  /** Existing dataset to which the records are added. */
  existing?: { workspace: string; dataset: string; plan: Plan }
  source: SourceDescription | null
}

/** Formats a value as a Python literal. JSON string escapes are valid in Python. */
function python(value: unknown): string {
  if (value === null || value === undefined) return 'None'
  if (value === true) return 'True'
  if (value === false) return 'False'
  if (Array.isArray(value)) return `[${value.map(python).join(', ')}]`
  if (typeof value === 'object')
    return `{${Object.entries(value)
      .map(([key, entry]) => `${python(key)}: ${python(entry)}`)
      .join(', ')}}`
  return JSON.stringify(value)
}

const call = (name: string, given: [string, unknown][]) =>
  `${name}(${given
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${python(value)}`)
    .join(', ')})`

const block = (name: string, lines: string[]) =>
  lines.length === 0 ? [] : [`  ${name}=[`, ...lines.map(line => `    ${line},`), '  ],']

export function toPython(run: WizardRun): string {
  const imports = run.source ? importsOf(run.source) : []
  const lines = [pythonSnippet(run.serverUrl, MASK, imports), '']
  if (run.plan) lines.push(...datasetLines(run.plan), '')
  else if (run.existing)
    lines.push(`dataset = client.datasets(${python(run.existing.dataset)}, workspace=${python(run.existing.workspace)})`, '')
  const plan = run.plan ?? run.existing?.plan
  if (run.source && plan) lines.push(...recordLines(run.source, plan))
  return `${lines.join('\n').trimEnd()}\n`
}

function datasetLines(plan: DatasetPlan): string[] {
  const settings = toSettings(plan)
  const { name, guidelines, distribution } = toDatasetBody(plan)
  return [
    'settings = rg.Settings(',
    `  guidelines=${python(guidelines)},`,
    ...block('fields', settings.fields.map(fieldCall)),
    ...block('questions', plan.questions.map(questionCall)),
    ...block(
      'metadata',
      settings.metadata_properties.map(property => {
        const type = { terms: 'Terms', integer: 'Integer', float: 'Float' }[property.settings.type]
        return call(`rg.${type}MetadataProperty`, [
          ['name', property.name],
          ['title', property.title],
        ])
      }),
    ),
    ...block(
      'vectors',
      settings.vectors_settings.map(({ name: vector, title, dimensions }) =>
        call('rg.VectorField', [
          ['name', vector],
          ['title', title],
          ['dimensions', dimensions],
        ]),
      ),
    ),
    `  distribution=rg.TaskDistribution(min_submitted=${distribution.min_submitted}),`,
    ')',
    `dataset = rg.Dataset(name=${python(name)}, workspace=${python(plan.workspace?.name ?? '')}, settings=settings, client=client)`,
    'dataset.create()',
  ]
}

type Bodies = ReturnType<typeof toSettings>

function fieldCall({ name, title, required, settings }: Bodies['fields'][number]): string {
  const type = { text: 'Text', chat: 'Chat', image: 'Image', custom: 'Custom' }[settings.type]
  const markdown = 'use_markdown' in settings ? settings.use_markdown : undefined
  return call(`rg.${type}Field`, [
    ['name', name],
    ['title', title],
    ['required', required],
    ['use_markdown', markdown],
  ])
}

function questionCall({ name, title, description, required, settings }: QuestionPlan): string {
  const { name: type, given } = pythonCallOf(settings)
  const common: [string, unknown][] = [
    ['name', name.trim()],
    ['title', title.trim() || name.trim()],
    ['description', description.trim() || null],
    ['required', required],
  ]
  return call(`rg.${type}`, [...common, ...given])
}

function importsOf({ format }: SourceDescription): string[] {
  if (format === 'parquet' || format === 'excel') return ['import json', 'import pandas as pd']
  return format === 'csv' || format === 'tsv' ? ['import csv', 'import json'] : ['import json']
}

function readLines({ name, format, encoding, separator, sheet }: SourceDescription): string[] {
  const open = `open(${python(name)}, encoding=${python(encoding === 'utf-8' || !encoding ? 'utf-8-sig' : encoding)}, newline="")`
  if (format === 'parquet') return [`rows = pd.read_parquet(${python(name)}).to_dict("records")`]
  if (format === 'excel') return [`rows = pd.read_excel(${python(name)}, sheet_name=${python(sheet ?? 0)}).to_dict("records")`]
  const rows = {
    csv: `list(csv.DictReader(file, delimiter=${python(separator ?? ',')}))`,
    tsv: `list(csv.DictReader(file, delimiter=${python(separator ?? '\t')}))`,
    jsonl: '[json.loads(line) for line in file if line.strip()]',
    json: 'json.load(file)',
  }[format]
  return [`with ${open} as file:`, `  rows = ${rows}`]
}

/** Python function that converts the text of a cell; null for texts. */
type Convert = 'int' | 'float' | 'json.loads' | null

const ofMetadata: Readonly<Record<MetadataTypeName, Convert>> = { terms: null, integer: 'int', float: 'float' }

function answerConvert({ questions }: Plan, name: string): Convert {
  const question = questions.find(one => one.name === name)
  if (question === undefined) return null
  const { listValued, column } = questionTypeOf(question.settings)
  if (listValued) return 'json.loads'
  return column.type === 'int64' ? 'int' : null
}

const cell = (column: string, convert: Convert = null) =>
  `read(row.get(${python(column)})${convert === null ? '' : `, ${convert}`})`

const HELPERS = [
  'def read(value, convert=None):',
  '  if value is None or (isinstance(value, (str, float)) and (value == "" or value != value)):',
  '    return None',
  '  return convert(value) if convert and isinstance(value, str) else value',
  '',
  'def filled(values):',
  '  return {name: value for name, value in values.items() if value is not None}',
  '',
]

/** Omits empty cells, as the import does. */
function recordLines(source: SourceDescription, plan: Plan): string[] {
  const { external_id, suggestions } = toMapping(plan)
  const pairs = (role: 'field' | 'metadata' | 'vector', convert: (use: ColumnUse) => Convert): string[] => {
    const entries = usesWith(plan, role).flatMap(use =>
      use.column === null ? [] : [`${python(use.target.trim())}: ${cell(use.column, convert(use))}`],
    )
    const key = { field: 'fields', metadata: 'metadata', vector: 'vectors' }[role]
    return entries.length === 0 ? [] : [`    ${key}=filled({${entries.join(', ')}}),`]
  }
  const answers = suggestions.map(({ target, value, score, agent }) => {
    const parts = [cell(value, answerConvert(plan, target)), score ? cell(score, 'float') : 'None', agent ? cell(agent) : 'None']
    return `        (${python(target)}, ${parts.join(', ')}),`
  })
  return [
    ...HELPERS,
    ...readLines(source),
    '',
    'dataset.records.log([',
    '  rg.Record(',
    `    id=${external_id === null ? `f${python(`${source.name.replace(/[{}]/g, '$&$&')}-{number}`)}` : `str(${cell(external_id)})`},`,
    ...pairs('field', ({ kind }) => (kind === 'chat' ? 'json.loads' : null)),
    ...pairs('metadata', ({ metadata }) => ofMetadata[metadata]),
    ...pairs('vector', () => 'json.loads'),
    ...(answers.length === 0
      ? []
      : [
          '    suggestions=[',
          '      rg.Suggestion(name, value, score=score, agent=agent)',
          '      for name, value, score, agent in [',
          ...answers,
          '      ]',
          '      if value is not None',
          '    ],',
        ]),
    '  )',
    '  for number, row in enumerate(rows, 1)',
    '])',
  ]
}

/** Request bodies in order: create the dataset, create its settings, publish, import. */
export function toJson({ plan, existing, source }: WizardRun): string {
  const used = plan ?? existing?.plan
  const dataset = plan
    ? { ...toDatasetBody(plan), workspace: plan.workspace?.name ?? null, ...toSettings(plan) }
    : { name: existing?.dataset, workspace: existing?.workspace }
  const { name, ...how } = source ?? {}
  return JSON.stringify(
    { dataset, import: source && used ? { file: name, source: how, mapping: toMapping(used) } : null },
    null,
    2,
  )
}
