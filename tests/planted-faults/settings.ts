import { type FaultGroup, faultsIn } from './fault.ts'

const FEATURES = 'packages/server/src/features'
const DOMAIN = 'packages/domain/src'

const shared: FaultGroup = {
  name: 'changes of settings',
  unit: [`${FEATURES}/fields`, `${FEATURES}/questions`, `${FEATURES}/metadata-properties`],
  contract: [
    'contract/settings.test.ts',
    'contract/permissions.test.ts',
    'contract/change-log.test.ts',
    'contract/records.test.ts',
  ],
  routes: ['createField', 'updateField', 'deleteField', 'createQuestion', 'updateQuestion', 'deleteDatasetField'],
  faults: faultsIn(`${FEATURES}/datasets`, [
    [
      'settings-permission',
      'anybody changes the settings of any dataset',
      'change-settings.ts',
      'allow(canChangeDataset(ctx.actor, dataset))',
      '',
    ],
    [
      'settings-other-dataset',
      'a field is removed by the path of another dataset',
      'change-settings.ts',
      'if (item.dataset_id !== dataset.id) throw',
      "if (item.dataset_id === '') throw",
    ],
    [
      'settings-cache',
      'records are checked by the settings of before',
      'change-settings.ts',
      'await bumpSettingsVersion(tx, datasetId)',
      '',
    ],
    [
      'settings-log',
      'pages that are open do not learn of changed settings',
      'change-settings.ts',
      "logChange(tx, { name: 'settings.updated', dataset_id: datasetId, details: { settings: what } })",
      '',
    ],
    [
      'settings-unchanged',
      'a change to what is stored moves `updated_at`',
      'change-settings.ts',
      'if (isDeepStrictEqual(changed, item)) return item',
      '',
    ],
    [
      'settings-audit',
      'the audit log does not show removed settings',
      'change-settings.ts',
      "await auditItem(ctx, tx, dataset, { what: removal.what, verb: 'deleted', item })",
      '',
    ],
    [
      'settings-published',
      'fields and questions of published datasets are added and removed',
      'change-settings.ts',
      "if (dataset.status === 'ready') throw",
      "if (dataset.status !== 'ready' && change === '') throw",
    ],
    [
      'settings-stale',
      'a change works on what was read before the dataset was locked',
      'change-settings.ts',
      'const { dataset_id } = await change.load(tx, id)\n    const dataset = await loadChangeable(ctx, tx, dataset_id)\n    // Loaded again, because the dataset is locked now.\n    const item = await change.load(tx, id)',
      'const item = await change.load(tx, id)\n    const { dataset_id } = item\n    const dataset = await loadChangeable(ctx, tx, dataset_id)',
    ],
  ]),
}

const fields: FaultGroup = {
  name: 'fields',
  unit: [`${FEATURES}/fields`],
  contract: ['contract/settings.test.ts'],
  routes: ['listFields', 'createField', 'updateField', 'deleteField', 'deleteDatasetField'],
  faults: [
    ...faultsIn(`${FEATURES}/fields`, [
      [
        'field-name-of-question',
        'a field has the name of a question',
        'create.ts',
        'if ((await listQuestions(tx, datasetId)).some(isTaken)) throw',
        "if (name === '') throw",
      ],
      ['field-published', 'fields are added to published datasets', 'create.ts', "checkDraft(dataset, 'Adding a field')", ''],
      [
        'field-required',
        'a field is required unless told otherwise',
        'create.ts',
        'given.required ?? false',
        'given.required ?? true',
      ],
      [
        'field-delete-published',
        'fields are removed from published datasets',
        'delete.ts',
        "checkDraft(dataset, 'Removing a field')",
        'undefined',
      ],
      [
        'field-list-permission',
        'anybody lists the fields of any dataset',
        'list.ts',
        'allow(canReadDataset(ctx.actor, dataset))',
        '',
      ],
      [
        'field-type',
        'the type of a field with records changes',
        'update.ts',
        'if (given.settings) checkFieldTypeUnchanged(field.settings, given.settings)',
        '',
      ],
      [
        'field-settings-lost',
        'new settings of a field are answered but not stored',
        'store.ts',
        '.set({ title, updated_at, settings: JSON.stringify(field.settings) })',
        '.set({ title, updated_at })',
      ],
      ['field-order', 'fields are sorted by name', 'store.ts', "    .orderBy('inserted_at')\n", "    .orderBy('name')\n"],
    ]),
  ],
}

const metadata: FaultGroup = {
  name: 'metadata properties',
  unit: [`${FEATURES}/metadata-properties`, `${DOMAIN}/metadata`],
  contract: [
    'contract/settings.test.ts',
    'contract/annotation.test.ts',
    'contract/permissions.test.ts',
    'contract/records.test.ts',
  ],
  routes: [
    'listMetadataProperties',
    'listMyMetadataProperties',
    'createMetadataProperty',
    'updateMetadataProperty',
    'deleteMetadataProperty',
    'getMetadataPropertyMetrics',
  ],
  faults: [
    ...faultsIn(`${FEATURES}/metadata-properties`, [
      [
        'property-hidden-listed',
        'annotators list hidden metadata properties',
        'list.ts',
        'properties.filter(property => canSeeMetadataProperty(ctx.actor, dataset, property))',
        'properties.filter(property => property.name !== ctx.actor.id)',
      ],
      [
        'property-list-permission',
        'anybody lists metadata properties of any dataset',
        'list.ts',
        'allow(canReadDataset(ctx.actor, dataset))',
        '',
      ],
      [
        'property-metrics-permission',
        'annotators read the values of hidden metadata properties',
        'get-metrics.ts',
        'allow(canSeeMetadataProperty(ctx.actor, dataset, property))',
        '',
      ],
      [
        'property-visibility-lost',
        'a metadata property that was hidden stays visible',
        'store.ts',
        'const changes = { title, updated_at, visible_for_annotators: property.visible_for_annotators ? 1 : 0 }',
        'const changes = { title, updated_at }',
      ],
      [
        'property-name-taken',
        'a taken name is an internal error instead of a conflict',
        'store.ts',
        'throw db.dialect.isUniqueViolation(error)\n      ? notUnique',
        'throw property.name === error\n      ? notUnique',
      ],
      [
        'property-metrics-total',
        'the total of a metadata property leaves out rare terms',
        'get-metrics.ts',
        'total: listed + count.other',
        'total: listed',
      ],
      [
        'property-metrics-rounding',
        'metrics show rounding noise',
        'get-metrics.ts',
        'const DECIMALS_MAX = 5',
        'const DECIMALS_MAX = 15',
      ],
    ]),
    ...faultsIn(DOMAIN, [
      [
        'property-default',
        'a new metadata property is hidden',
        'metadata-properties.ts',
        'visible_for_annotators: Optional(Bool({ default: true }))',
        'visible_for_annotators: Optional(Bool({ default: false }))',
      ],
    ]),
    ...faultsIn(`${DOMAIN}/metadata`, [
      ['property-bounds', 'equal bounds are accepted', 'bounds.ts', 'min < max) return null', 'min <= max) return null'],
      ['property-minimum', 'a value below the minimum is accepted', 'bounds.ts', 'value < min) throw', 'value < min - 1) throw'],
      [
        'property-terms',
        'terms that are not listed are accepted',
        'terms.ts',
        'settings.values === null ||',
        'settings.values !== undefined ||',
      ],
    ]),
  ],
}

export const settingsGroups: FaultGroup[] = [shared, fields, metadata]
