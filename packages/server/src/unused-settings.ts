/** Settings of other deployments of this API: accepted, so that a team can move with its environment, and without effect. */
export const UNUSED_SETTINGS: Readonly<Record<string, string>> = {
  ELASTICSEARCH: 'URL of a search engine.',
  ELASTICSEARCH_SSL_VERIFY: 'Check of the search engine’s certificate.',
  ELASTICSEARCH_CA_PATH: 'Certificate authority of the search engine.',
  ES_RECORDS_INDEX_SHARDS: 'Shards of a search index.',
  ES_RECORDS_INDEX_REPLICAS: 'Replicas of a search index.',
  ES_MAPPING_TOTAL_FIELDS_LIMIT: 'Fields of a search index.',
  DEFAULT_ES_SEARCH_ANALYZER: 'Text analysis of a search index.',
  EXACT_ES_SEARCH_ANALYZER: 'Exact text analysis of a search index.',
  NAMESPACE: 'Prefix of search indexes.',
  REDIS_URL: 'Queue of background jobs.',
  REDIS_USE_CLUSTER: 'Kind of that queue.',
  METADATA_FIELDS_LIMIT: 'Metadata keys of a legacy dataset.',
  METADATA_FIELD_LENGTH: 'Length of metadata text in a legacy dataset.',
  VECTORS_FIELDS_LIMIT: 'Vectors of a legacy dataset.',
}
