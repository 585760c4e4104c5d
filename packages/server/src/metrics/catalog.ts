/** All metrics with type, labels and help text. `docs/guide/operate.md` has the same table; a test compares them. */

export interface MetricInfo {
  type: 'counter' | 'gauge' | 'histogram'
  /** Labels besides `process`, which all metrics of a single process have. */
  labels: readonly string[]
  about: string
  /** True for metrics of the database or the search engine, which all processes share and report alike. */
  shared?: true
}

export const METRICS = {
  postil_build_info: {
    type: 'gauge',
    labels: ['version', 'api_version', 'node', 'database', 'search_engine'],
    about: 'Always 1; the labels say what runs.',
  },
  postil_http_requests_total: {
    type: 'counter',
    labels: ['operation', 'status'],
    about: 'Answered requests by operation (as in the API description; `web` for the web UI) and class of status, such as `2xx`.',
  },
  postil_http_request_seconds: {
    type: 'histogram',
    labels: ['operation'],
    about: 'Time from the first line of a request to the end of its answer. Event streams are not in it.',
  },
  postil_http_requests_in_flight: {
    type: 'gauge',
    labels: [],
    about: 'Requests that are being answered, without event streams.',
  },
  postil_event_streams: { type: 'gauge', labels: [], about: 'Open event streams.' },
  postil_lane_waiting: { type: 'gauge', labels: ['lane'], about: 'Calls that wait for a thread.' },
  postil_lane_running: { type: 'gauge', labels: ['lane'], about: 'Calls that were handed to a thread and are not answered yet.' },
  postil_lane_wait_seconds: { type: 'histogram', labels: ['lane'], about: 'How long a call waited for its turn.' },
  postil_lane_run_seconds: {
    type: 'histogram',
    labels: ['lane'],
    about: 'How long a thread took to answer a call, with its own queue. `search` is the time of searches and counts.',
  },
  postil_commits_total: { type: 'counter', labels: [], about: 'Commits of the writer. Responses that wait together share one.' },
  postil_changes_total: {
    type: 'counter',
    labels: ['event'],
    about: 'Datasets, records and responses that were written, by event, such as `record.created` or `response.updated`.',
  },
  postil_webhook_requests_total: {
    type: 'counter',
    labels: ['outcome'],
    about: 'Requests to webhooks: `answered` with a status of 2xx, `refused` with another one, `failed` without an answer.',
  },
  postil_jobs: {
    type: 'gauge',
    labels: ['status'],
    about: 'Background jobs that are queued, started or have failed.',
    shared: true,
  },
  postil_webhooks: {
    type: 'gauge',
    labels: ['state'],
    about: 'Webhooks that are `enabled`, `failing` or `paused`.',
    shared: true,
  },
  postil_webhook_deliveries_waiting: {
    type: 'gauge',
    labels: [],
    about: 'Deliveries that wait to be sent or sent again; counted up to 10,000.',
    shared: true,
  },
  postil_search_available: {
    type: 'gauge',
    labels: ['engine'],
    about: '1 if the search engine answers, 0 if not.',
    shared: true,
  },
  postil_search_lag_changes: {
    type: 'gauge',
    labels: ['engine'],
    about:
      'By how many changes the search index of the dataset that is furthest behind is behind. The embedded one catches up before each search.',
    shared: true,
  },
  postil_search_refused_records: {
    type: 'gauge',
    labels: ['engine'],
    about: 'Records that the search engine does not accept; the log names them.',
    shared: true,
  },
  postil_database_connections: {
    type: 'gauge',
    labels: ['thread', 'state'],
    about: 'PostgreSQL: connections of all processes by the thread that uses them, `active` or `idle`.',
    shared: true,
  },
  postil_scrape_failures_total: {
    type: 'counter',
    labels: [],
    about: 'Scrapes without the metrics of the database, or of all processes.',
  },
  process_cpu_seconds_total: { type: 'counter', labels: [], about: 'Processor time of the process with all its threads.' },
  process_resident_memory_bytes: { type: 'gauge', labels: [], about: 'Memory of the process.' },
  process_start_time_seconds: { type: 'gauge', labels: [], about: 'When the process started.' },
  nodejs_heap_used_bytes: { type: 'gauge', labels: [], about: 'Heap of the main thread.' },
  nodejs_eventloop_delay_seconds: {
    type: 'gauge',
    labels: ['quantile'],
    about: 'Delay of the main thread’s event loop since the last scrape: 0.5, 0.99 and 1 (the longest).',
  },
} as const satisfies Record<string, MetricInfo>

export type MetricName = keyof typeof METRICS
export type HistogramName = { [N in MetricName]: (typeof METRICS)[N]['type'] extends 'histogram' ? N : never }[MetricName]
export type CounterName = { [N in MetricName]: (typeof METRICS)[N]['type'] extends 'counter' ? N : never }[MetricName]
