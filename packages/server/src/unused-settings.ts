/** Settings of other deployments of this API, accepted without effect so that a team can move with its environment. */
export const UNUSED_SETTINGS: Readonly<Record<string, string>> = {
  DEFAULT_ES_SEARCH_ANALYZER: 'Text analysis of a search index.',
  EXACT_ES_SEARCH_ANALYZER: 'Exact text analysis of a search index.',
  NAMESPACE: 'Prefix of search indexes.',
  REDIS_URL: 'Queue of background jobs.',
  REDIS_USE_CLUSTER: 'Kind of that queue.',
}
