/** Settings of other deployments of this API: accepted, so that a team can move with its environment, and without effect. */
export const UNUSED_SETTINGS: Readonly<Record<string, string>> = {
  DEFAULT_ES_SEARCH_ANALYZER: 'Text analysis of a search index.',
  EXACT_ES_SEARCH_ANALYZER: 'Exact text analysis of a search index.',
  NAMESPACE: 'Prefix of search indexes.',
  REDIS_URL: 'Queue of background jobs.',
  REDIS_USE_CLUSTER: 'Kind of that queue.',
  METADATA_FIELDS_LIMIT: 'Metadata keys of a legacy dataset.',
  METADATA_FIELD_LENGTH: 'Length of metadata text in a legacy dataset.',
  VECTORS_FIELDS_LIMIT: 'Vectors of a legacy dataset.',
}
