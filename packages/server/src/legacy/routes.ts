/** Every legacy route, bound to its use case. */
import * as datasetsApi from '@postil/domain/legacy/api-datasets'
import * as recordsApi from '@postil/domain/legacy/api-records'
import * as settingsApi from '@postil/domain/legacy/api-settings'
import * as api from '@postil/domain/legacy/api-users'
import { toTask } from '@postil/domain/legacy/tasks'
import { createAccessToken } from '../features/token/routes.ts'
import { type Served, serve, serveOpen } from '../http/serve.ts'
import { type BulkRecord, bulkLegacyRecords } from './bulk.ts'
import * as datasets from './datasets.ts'
import { getLegacyInfo, getLegacyStatus } from './info.ts'
import * as rules from './labeling-rules.ts'
import { listLegacyMetrics, summarizeLegacyMetric } from './metrics.ts'
import * as records from './records.ts'
import { scanLegacyRecords } from './scan.ts'
import { searchLegacyRecords } from './search.ts'
import * as settings from './settings.ts'
import * as users from './users.ts'
import * as writes from './writes.ts'

const userRoutes: Served[] = [
  serve(api.legacyMe, ctx => users.getLegacyMe(ctx)),
  serveOpen(api.legacyInfo, async () => getLegacyInfo()),
  serveOpen(api.legacyStatus, ctx => getLegacyStatus(ctx)),
  serveOpen(api.legacyToken, (ctx, { body }) => createAccessToken(ctx, body, api.legacyToken.status)),
  serve(api.legacyListUsers, ctx => users.listLegacyUsers(ctx)),
  serve(api.legacyCreateUser, (ctx, { body }) => users.createLegacyUser(ctx, body)),
  serve(writes.legacyInsertUser, (ctx, { body }) => users.insertLegacyUser(ctx, body)),
  serve(api.legacyDeleteUser, (ctx, { params }) => users.deleteLegacyUser(ctx, params.user_id)),
  serve(api.legacyListWorkspaces, ctx => users.listLegacyWorkspaces(ctx)),
  serve(api.legacyCreateWorkspace, (ctx, { body }) => users.createLegacyWorkspace(ctx, body)),
  serve(api.legacyListWorkspaceUsers, (ctx, { params }) => users.listLegacyWorkspaceUsers(ctx, params.workspace_id)),
  serve(api.legacyAddWorkspaceUser, (ctx, { params }) => users.addLegacyWorkspaceUser(ctx, params)),
  serve(api.legacyRemoveWorkspaceUser, (ctx, { params }) => users.removeLegacyWorkspaceUser(ctx, params)),
]

const datasetRoutes: Served[] = [
  serve(datasetsApi.legacyListDatasets, (ctx, { params }) => datasets.listLegacyDatasets(ctx, params.workspace)),
  serve(datasetsApi.legacyCreateDataset, (ctx, { params, body }) => datasets.createLegacyDataset(ctx, body, params.workspace)),
  serve(datasetsApi.legacyGetDataset, (ctx, { params }) => datasets.getLegacyDataset(ctx, params)),
  serve(datasetsApi.legacyUpdateDataset, (ctx, { params, body }) => datasets.updateLegacyDataset(ctx, params, body)),
  serve(datasetsApi.legacyDeleteDataset, (ctx, { params }) => datasets.deleteLegacyDataset(ctx, params)),
  serve(datasetsApi.legacyCopyDataset, (ctx, { params, body }) => datasets.copyLegacyDataset(ctx, params, body)),
  serve(datasetsApi.legacyCloseDataset, (ctx, { params }) => datasets.closeLegacyDataset(ctx, params, true)),
  serve(datasetsApi.legacyOpenDataset, (ctx, { params }) => datasets.closeLegacyDataset(ctx, params, false)),
]

const recordRoutes: Served[] = [
  ...recordsApi.LEGACY_BULKS.map(({ task, contract }) =>
    serve(contract, (ctx, { params, body }) => {
      const given = { ...body, records: body.records as BulkRecord[] }
      return bulkLegacyRecords(ctx, { ...params, task }, given)
    }),
  ),
  serve(recordsApi.legacyScanRecords, (ctx, { params, query, body }) => scanLegacyRecords(ctx, params, query.limit ?? 0, body)),
  serve(recordsApi.legacySearchRecords, (ctx, { params, query, body }) => {
    const page = { limit: query.limit ?? 0, from: query.from ?? 0, withMetrics: query.include_metrics ?? false }
    return searchLegacyRecords(ctx, params, page, body)
  }),
  serve(recordsApi.legacyDeleteRecords, (ctx, { params, query, body }) =>
    records.deleteLegacyRecords(ctx, params, { query: body.query ?? body, markAsDiscarded: query.mark_as_discarded ?? false }),
  ),
  serve(writes.legacyDeleteFound, (ctx, { body }) => records.deleteFoundRecords(ctx, body)),
  serve(recordsApi.legacyGetRecord, (ctx, { params }) => records.getLegacyRecord(ctx, params, params.record_id)),
  serve(recordsApi.legacyUpdateRecord, (ctx, { params, body }) =>
    records.updateLegacyRecord(ctx, params, params.record_id, body),
  ),
]

type SettingsParams = { workspace: string; name: string; settings_task: settings.SettingsPlace['task'] }
const toSettingsPlace = ({ workspace, name, settings_task }: SettingsParams) => ({ workspace, name, task: settings_task })

const settingsRoutes: Served[] = [
  serve(settingsApi.legacyGetSettings, (ctx, { params }) => settings.getLegacySettings(ctx, toSettingsPlace(params))),
  serve(settingsApi.legacyPatchSettings, (ctx, { params, body }) =>
    settings.saveLegacySettings(ctx, toSettingsPlace(params), body),
  ),
  serve(settingsApi.legacyPutSettings, (ctx, { params, body }) =>
    settings.saveLegacySettings(ctx, toSettingsPlace(params), body),
  ),
  serve(settingsApi.legacyDeleteSettings, (ctx, { params }) => settings.deleteLegacySettings(ctx, toSettingsPlace(params))),
]

const metricRoutes: Served[] = [
  serve(settingsApi.legacyListMetrics, (ctx, { params }) => listLegacyMetrics(ctx, { ...params, task: toTask(params.any_task) })),
  serve(settingsApi.legacyMetricSummary, (ctx, { params, query, body }) => {
    const options = { interval: query.interval ?? null, size: query.size ?? null }
    const place = { ...params, task: toTask(params.any_task) }
    return summarizeLegacyMetric(ctx, place, { metric: params.metric, query: body, options })
  }),
]

const ruleRoutes: Served[] = [
  serve(settingsApi.legacyListRules, (ctx, { params }) => rules.listLegacyRules(ctx, params)),
  serve(settingsApi.legacyCreateRule, (ctx, { params, body }) => rules.createLegacyRule(ctx, params, body)),
  serve(settingsApi.legacyRulesMetrics, (ctx, { params }) => rules.summarizeLegacyRules(ctx, params)),
  serve(settingsApi.legacyRuleMetrics, (ctx, { params, query }) =>
    rules.summarizeLegacyRule(ctx, params, params.query, query.label ?? []),
  ),
  serve(settingsApi.legacyGetRule, (ctx, { params }) => rules.getLegacyRule(ctx, params, params.query)),
  serve(settingsApi.legacyUpdateRule, (ctx, { params, body }) => rules.updateLegacyRule(ctx, params, params.query, body)),
  serve(settingsApi.legacyDeleteRule, (ctx, { params }) => rules.deleteLegacyRule(ctx, params, params.query)),
]

export const legacyRoutes: Served[] = [
  ...userRoutes,
  ...datasetRoutes,
  ...recordRoutes,
  ...settingsRoutes,
  ...metricRoutes,
  ...ruleRoutes,
]
