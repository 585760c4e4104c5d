/** Legacy routes for settings, metrics and labelling rules. Many have two paths, because the client uses both. */
import { AnyJson, Int, List, Nullable, OneOf, Optional, Shape, Text, Type } from '../schema.ts'
import { PlaceParams } from './api-datasets.ts'
import { RecordQuery } from './filter.ts'
import { Rule, RuleCreate, RuleUpdate } from './labeling-rules.ts'
import { legacyRoute } from './route.ts'
import { SettingsInput } from './settings.ts'
import { TASK_SPELLINGS } from './tasks.ts'

const SETTINGS_TASKS = ['TextClassification', 'TokenClassification'] as const
const SettingsParams = Shape({ workspace: Text(), name: Text(), settings_task: OneOf(SETTINGS_TASKS) })

const SETTINGS_PATHS = ['/api/datasets/{name}/{settings_task}/settings', '/api/datasets/{settings_task}/{name}/settings'] as const

export const legacyGetSettings = legacyRoute({
  id: 'legacyGetSettings',
  method: 'GET',
  paths: SETTINGS_PATHS,
  runs: 'here',
  summary: 'The label schema of a dataset',
  params: SettingsParams,
  response: AnyJson,
})

const saving = { runs: 'writer', params: SettingsParams, body: SettingsInput, response: AnyJson } as const

export const legacyPatchSettings = legacyRoute({
  ...saving,
  id: 'legacyPatchSettings',
  method: 'PATCH',
  paths: SETTINGS_PATHS,
  summary: 'Replace the label schema of a dataset',
})

export const legacyPutSettings = legacyRoute({
  ...saving,
  id: 'legacyPutSettings',
  method: 'PUT',
  paths: SETTINGS_PATHS,
  summary: 'Replace the label schema of a dataset',
})

export const legacyDeleteSettings = legacyRoute({
  id: 'legacyDeleteSettings',
  method: 'DELETE',
  paths: SETTINGS_PATHS,
  runs: 'writer',
  summary: 'Delete the label schema of a dataset',
  params: SettingsParams,
  response: Type.Null(),
})

const METRICS_PATHS = ['/api/datasets/{any_task}/{name}/metrics', '/api/datasets/{name}/{any_task}/metrics'] as const
const MetricsParams = Shape({ workspace: Text(), name: Text(), any_task: OneOf(TASK_SPELLINGS) })

export const legacyListMetrics = legacyRoute({
  id: 'legacyListMetrics',
  method: 'GET',
  paths: METRICS_PATHS,
  runs: 'here',
  summary: 'The metrics of a dataset',
  params: MetricsParams,
  response: List(Shape({ id: Text(), name: Text(), description: Nullable(Text()) })),
})

export const legacyMetricSummary = legacyRoute({
  id: 'legacyMetricSummary',
  method: 'POST',
  paths: ['/api/datasets/{any_task}/{name}/metrics/{metric}:summary', '/api/datasets/{name}/{any_task}/metrics/{metric}:summary'],
  runs: 'reader',
  searches: true,
  affinity: 'name',
  optionalBody: true,
  largeBody: true,
  summary: 'One metric of the records that match',
  params: Shape({ ...MetricsParams.properties, metric: Text() }),
  query: Shape({
    interval: Optional(Type.Number({ exclusiveMinimum: 0 })),
    size: Optional(Int({ minimum: 1 })),
  }),
  body: RecordQuery,
  response: AnyJson,
})

const RULES_PATHS = [
  '/api/datasets/{name}/TextClassification/labeling/rules',
  '/api/datasets/TextClassification/{name}/labeling/rules',
] as const

const below = (rest: string): [string, string] => [`${RULES_PATHS[0]}${rest}`, `${RULES_PATHS[1]}${rest}`]

export const legacyListRules = legacyRoute({
  id: 'legacyListRules',
  method: 'GET',
  paths: RULES_PATHS,
  runs: 'here',
  summary: 'The labelling rules of a dataset',
  params: PlaceParams,
  response: List(Rule),
})

export const legacyCreateRule = legacyRoute({
  id: 'legacyCreateRule',
  method: 'POST',
  paths: RULES_PATHS,
  runs: 'writer',
  summary: 'Add a labelling rule',
  params: PlaceParams,
  body: RuleCreate,
  response: Rule,
})

const RuleParams = Shape({ workspace: Text(), name: Text(), query: Text() })
const counting = { runs: 'reader', searches: true, affinity: 'name', response: AnyJson } as const

export const legacyRulesMetrics = legacyRoute({
  ...counting,
  id: 'legacyRulesMetrics',
  method: 'GET',
  paths: below('/metrics'),
  summary: 'How many records the rules match',
  params: PlaceParams,
})

export const legacyRuleMetrics = legacyRoute({
  ...counting,
  id: 'legacyRuleMetrics',
  method: 'GET',
  paths: below('/{query}/metrics'),
  summary: 'How many records a query matches, and how often its labels are right',
  params: RuleParams,
  query: Shape({ label: Optional(List(Text())) }),
})

export const legacyGetRule = legacyRoute({
  id: 'legacyGetRule',
  method: 'GET',
  paths: below('/{query}'),
  runs: 'here',
  summary: 'A labelling rule',
  params: RuleParams,
  response: Rule,
})

export const legacyUpdateRule = legacyRoute({
  id: 'legacyUpdateRule',
  method: 'PATCH',
  paths: below('/{query}'),
  runs: 'writer',
  summary: 'Change the labels of a rule',
  params: RuleParams,
  body: RuleUpdate,
  response: Rule,
})

export const legacyDeleteRule = legacyRoute({
  id: 'legacyDeleteRule',
  method: 'DELETE',
  paths: below('/{query}'),
  runs: 'writer',
  summary: 'Delete a labelling rule, if it exists',
  params: RuleParams,
  response: Type.Null(),
})

/** Metrics come before single rules, so a rule whose query is `metrics` is not reachable. */
export const legacySettingsContracts = [
  legacyGetSettings,
  legacyPatchSettings,
  legacyPutSettings,
  legacyDeleteSettings,
  legacyListMetrics,
  legacyMetricSummary,
  legacyListRules,
  legacyCreateRule,
  legacyRulesMetrics,
  legacyRuleMetrics,
  legacyGetRule,
  legacyUpdateRule,
  legacyDeleteRule,
]
