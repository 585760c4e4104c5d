// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are code.
import { type FaultGroup, faultsIn } from './fault.ts'

const DATASETS = 'packages/server/src/features/datasets'
const DOMAIN = 'packages/domain/src'

const progress: FaultGroup = {
  name: 'progress',
  unit: [DATASETS, `${DOMAIN}/distribution.test.ts`],
  contract: [
    'contract/annotation.test.ts',
    'contract/permissions.test.ts',
    'contract/live.test.ts',
    'contract/live-rights.test.ts',
  ],
  routes: ['getDatasetProgress', 'getDatasetUsersProgress', 'getMyDatasetMetrics', 'streamMyDatasetEvents'],
  faults: [
    ...faultsIn(DATASETS, [
      [
        'progress-permission',
        'anybody reads the progress of any dataset',
        'get-progress.ts',
        'allow(canReadDataset(ctx.actor, dataset))',
        '',
      ],
      [
        'users-progress-permission',
        'anybody reads who responded in any dataset',
        'get-users-progress.ts',
        'allow(canReadDataset(ctx.actor, dataset))',
        '',
      ],
      [
        'my-metrics-permission',
        'anybody reads the number of records of any dataset',
        'get-my-metrics.ts',
        'allow(canReadDataset(ctx.actor, dataset))',
        '',
      ],
      ['progress-pending', 'completed records count as pending', 'progress.ts', 'pending: total - completed', 'pending: total'],
      [
        'progress-drafts',
        'drafts do not count as responses',
        'progress.ts',
        'submitted + discarded + draft',
        'submitted + discarded',
      ],
      [
        'progress-order',
        'contributors are sorted by their account instead of their first response',
        'progress-store.ts',
        'order by d.inserted_at, u.inserted_at, u.id',
        'order by u.inserted_at, u.id',
      ],
      [
        'metrics-of-others',
        'the metrics of the caller contain the responses of all',
        'progress-store.ts',
        'and p.user_id = ? group by h.dataset_id',
        "and p.user_id <> ? || 'x' group by h.dataset_id",
      ],
      [
        'users-progress-deleted',
        'progress names users whose deletion is not finished',
        'progress-store.ts',
        'on u.id = c.user_id and ${IS_AUTHOR}',
        'on u.id = c.user_id',
      ],
      [
        'recompute-event',
        'webhooks do not learn of records that a lower overlap completes',
        'recompute-status.ts',
        "emitRecords(tx, 'record.completed', datasetId, completed)",
        '',
      ],
      [
        'recompute-totals',
        'progress does not follow a change of the overlap',
        'recompute-status.ts',
        'completed: completed.length - reopened',
        'completed: completed.length',
      ],
      [
        'recompute-piece',
        'only the first batch of records follows a change of the overlap',
        'recompute-status.ts',
        'last && records.length === BATCH_MAX ?',
        'last && records.length > BATCH_MAX ?',
      ],
      [
        'include-hidden',
        'annotators get hidden metadata properties with the dataset',
        'include.ts',
        'canSeeMetadataProperty(actor, dataset, property)',
        'property.name !== actor.id',
      ],
      [
        'include-contributors',
        'a dataset comes with any number of contributors',
        'include.ts',
        '.slice(0, CONTRIBUTORS_MAX)',
        '.slice(0)',
      ],
      [
        'live-deleted',
        'a page that is open does not learn that its dataset is deleted',
        'live-changes.ts',
        "return [{ ...toAll, name: 'dataset-deleted', data: {} }]",
        'return []',
      ],
      [
        'live-flood',
        'a page gets thousands of notices at once',
        'live-changes.ts',
        'nos.length > NAMED_MAX',
        'nos.length > NAMED_MAX * 100',
      ],
    ]),
    ...faultsIn(DOMAIN, [
      [
        'overlap-off-by-one',
        'a record needs one response more',
        'distribution.ts',
        'submitted >= distribution',
        'submitted > distribution',
      ],
    ]),
  ],
}

export const progressGroups: FaultGroup[] = [progress]
