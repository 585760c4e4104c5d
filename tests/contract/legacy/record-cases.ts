import { at, BAD, IN, type LegacyCase, NOT_ADMINS, RULES, STRANGERS, WRONG_TASK } from './case.ts'

const bulk = (task: string, name: string, record: object, wrong: object[]): LegacyCase => ({
  request: `POST /api/datasets/{${name}}/${task}:bulk${IN}`,
  body: { records: [record] },
  caller: 'memberAnnotator',
  forbidden: STRANGERS,
  invalid: [
    { body: {} },
    ...wrong.map(other => ({ body: { records: [{ ...record, ...other }] } })),
    { body: { records: [{ ...record, status: 'Other' }] } },
    { body: { records: [{ ...record, prediction: {} }] } },
    { body: { records: [{ ...record, id: 'x'.repeat(513) }] } },
    {
      request: `POST /api/datasets/{${name === 'texts' ? 'tokens' : 'texts'}}/${task}:bulk${IN}`,
      body: { records: [record] },
      ...WRONG_TASK,
    },
  ],
  missing: [{ request: `POST /api/datasets/nothing/${task}:bulk${IN}` }],
})

export const RECORD_CASES: Record<string, LegacyCase> = {
  legacyBulkTextClassification: bulk('TextClassification', 'texts', { id: 'b', inputs: { text: 'x' } }, [
    { inputs: { text: null } },
    {
      prediction: {
        agent: 'a',
        labels: [
          { class: 'a', score: 0.9 },
          { class: 'b', score: 0.9 },
        ],
      },
    },
    { annotation: { agent: 'a', labels: [] } },
    { status: 'Validated' },
    { prediction: { agent: 'a'.repeat(65), labels: [] } },
  ]),
  legacyBulkTokenClassification: bulk('TokenClassification', 'tokens', { id: 'b', text: 'a b', tokens: ['a', 'b'] }, [
    { text: ' ' },
    { tokens: [] },
    { tokens: ['b', 'a'] },
    {
      annotation: {
        agent: 'a',
        entities: [
          { start: 0, end: 2, label: 'L' },
          { start: 2, end: 2, label: 'L' },
        ],
      },
    },
    { annotation: { agent: 'a', entities: [{ start: 1, end: 3, label: '' }] } },
  ]),
  legacyBulkText2Text: bulk('Text2Text', 'sentences', { id: 'b', text: 'x' }, [
    { text: null },
    { prediction: { agent: 'a', sentences: [{ text: 'x', score: 2 }] } },
  ]),
  legacyScanRecords: {
    ...at('POST', '/records/:search'),
    body: { fields: ['inputs.*'], query: { ids: ['one'] } },
    caller: 'memberAnnotator',
    forbidden: STRANGERS,
    answer: {
      records: [{ id: 'one', inputs: { text: 'hello world' } }],
      next_idx: 'one',
      next_page_cfg: '{"sort_by":[],"next_search_params":["one"]}',
    },
    invalid: [
      { request: `POST /api/datasets/{texts}/records/:search${IN}&limit=1001`, body: {} },
      { body: { sort_by: [{ id: 'other' }] }, ...BAD },
      { body: { query: { query_text: 'a AND' } }, status: 400, code: 'InvalidTextSearchError' },
    ],
  },
  legacySearchRecords: {
    ...at('POST', '/TextClassification:search'),
    body: { query: { query_text: 'hello' } },
    caller: 'memberAnnotator',
    forbidden: STRANGERS,
    invalid: [
      { request: `POST /api/datasets/{texts}/TextClassification:search${IN}&from=10001`, body: {} },
      { request: `POST /api/datasets/{tokens}/TextClassification:search${IN}`, body: {}, ...WRONG_TASK },
      { body: { query: { vector: { name: 'v', value: [1] } } }, ...BAD },
      { body: { query: { raw_query: {} } }, ...BAD },
      { body: { query: { query_text: '"open' } }, status: 400, code: 'InvalidTextSearchError' },
    ],
  },
  legacyDeleteRecords: {
    ...at('DELETE', '/data'),
    body: { ids: ['b'] },
    forbidden: NOT_ADMINS,
    answer: { matched: 1, processed: 1 },
    invalid: [{ body: { ids: 'b' } }],
  },
  legacyGetRecord: {
    ...at('GET', '/records/one'),
    caller: 'memberAnnotator',
    forbidden: STRANGERS,
    missing: [{ request: `GET /api/datasets/{texts}/records/nothing${IN}`, code: 'RecordNotFound' }],
  },
  legacyUpdateRecord: {
    ...at('PATCH', '/records/2'),
    body: { metadata: { n: 1 }, status: 'Edited' },
    caller: 'memberAnnotator',
    forbidden: STRANGERS,
    invalid: [{ body: { status: 'Other' } }],
    missing: [{ request: `PATCH /api/datasets/{texts}/records/nothing${IN}`, code: 'RecordNotFound' }],
  },
}

const SETTINGS = { label_schema: { labels: ['yes', { name: 'no' }] } }
const saving = (method: string): LegacyCase => ({
  ...at(method, '/TextClassification/settings'),
  body: SETTINGS,
  forbidden: NOT_ADMINS,
  answer: {
    label_schema: {
      labels: [
        { id: 'yes', name: 'yes' },
        { id: 'no', name: 'no' },
      ],
    },
  },
  invalid: [{ body: { label_schema: { labels: [1] } } }, { body: { label_schema: { labels: ['no'] } }, ...BAD }],
})

export const SETTINGS_CASES: Record<string, LegacyCase> = {
  legacyPatchSettings: saving('PATCH'),
  legacyPutSettings: saving('PUT'),
  legacyGetSettings: {
    ...at('GET', '/TextClassification/settings'),
    caller: 'memberAnnotator',
    forbidden: STRANGERS,
    missing: [{ request: `GET /api/datasets/{tokens}/TokenClassification/settings${IN}` }],
  },
  legacyDeleteSettings: { ...at('DELETE', '/TextClassification/settings'), answer: null, forbidden: NOT_ADMINS },
  legacyListMetrics: { request: `GET /api/datasets/TaskType.text_classification/{texts}/metrics${IN}`, forbidden: STRANGERS },
  legacyMetricSummary: {
    ...at('POST', '/TextClassification/metrics/annotated_as:summary'),
    body: { query_text: null },
    caller: 'memberAnnotator',
    answer: { yes: 1 },
    forbidden: STRANGERS,
    invalid: [{ request: `POST /api/datasets/{texts}/TextClassification/metrics/score:summary${IN}&interval=0`, body: {} }],
    missing: [{ request: `POST /api/datasets/{texts}/TextClassification/metrics/other:summary${IN}` }],
  },
  legacyListRules: { ...at('GET', RULES), caller: 'memberAnnotator', forbidden: STRANGERS },
  legacyCreateRule: {
    ...at('POST', RULES),
    body: { query: ' bye ', labels: ['no', 'maybe'] },
    caller: 'memberAnnotator',
    forbidden: STRANGERS,
    invalid: [
      { body: { query: 'x' } },
      { body: { query: 'x', labels: [] } },
      { body: { query: '', label: 'a' } },
      { body: { query: 'text:hello world/a', label: 'a' }, status: 409, code: 'EntityAlreadyExistsError' },
    ],
  },
  legacyRulesMetrics: { ...at('GET', `${RULES}/metrics`), caller: 'memberAnnotator', forbidden: STRANGERS },
  legacyRuleMetrics: {
    ...at('GET', `${RULES}/text:hello/metrics`),
    request: `GET /api/datasets/{texts}${RULES}/text:hello/metrics${IN}&label=yes`,
    caller: 'memberAnnotator',
    forbidden: STRANGERS,
  },
  legacyGetRule: {
    ...at('GET', `${RULES}/text:hello%20world%2Fa`),
    caller: 'memberAnnotator',
    forbidden: STRANGERS,
    missing: [{ request: `GET /api/datasets/{texts}${RULES}/other${IN}` }],
  },
  legacyUpdateRule: {
    ...at('PATCH', `${RULES}/text:hello%20world/a`),
    body: { labels: ['no'] },
    caller: 'memberAnnotator',
    forbidden: STRANGERS,
    invalid: [{ body: {} }],
    missing: [{ request: `PATCH /api/datasets/{texts}${RULES}/other${IN}` }],
  },
  legacyDeleteRule: {
    ...at('DELETE', `${RULES}/text:hello%20world/a`),
    caller: 'memberAnnotator',
    answer: null,
    forbidden: STRANGERS,
  },
}
