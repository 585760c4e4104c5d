/** Every difference between Elasticsearch and OpenSearch, in one place. */

export type EngineName = 'elasticsearch' | 'opensearch'

/** A query or a part of one, as the engines read it. */
export type Clause = { [kind: string]: unknown }

export interface NearestQuery {
  /** The index field that holds the vectors. */
  path: string
  vector: number[]
  /** How many neighbours the caller takes. */
  wanted: number
  /** What the neighbours must match. */
  filter: Clause
}

export interface Flavour {
  engine: EngineName
  /** Vectors with more dimensions cannot be indexed. */
  vectorDimensionsMax: number
  /** Settings that only this engine has. */
  indexSettings: object
  toVectorMapping(dimensions: number): object
  /** The part of a search body that finds the nearest vectors. */
  toNearest(query: NearestQuery): object
}

/** The graph of neighbours: more links and candidates than by default make its answers nearly exact. */
const GRAPH_LINKS = 16
const GRAPH_CANDIDATES = 128

/**
 * More neighbours are asked for than are wanted, and the caller takes the first of them: the more there are, the fewer are missed, and those
 * that are equally near can be put in order. Smaller datasets are answered exactly.
 */
const CANDIDATES_MIN = 1000
const CANDIDATES_PER_NEIGHBOUR = 4
/** Both engines refuse more. */
const CANDIDATES_MAX = 10_000

const toCandidates = (wanted: number) => Math.min(CANDIDATES_MAX, Math.max(CANDIDATES_MIN, wanted * CANDIDATES_PER_NEIGHBOUR))

const isBelow = (version: string, major: number, minor: number): boolean => {
  const [givenMajor = 0, givenMinor = 0] = version.split('.').map(Number)
  return givenMajor < major || (givenMajor === major && givenMinor < minor)
}

export function toFlavour(engine: EngineName, version: string): Flavour {
  return engine === 'elasticsearch' ? toElasticsearch(version) : toOpenSearch(version)
}

function toElasticsearch(version: string): Flavour {
  return {
    engine: 'elasticsearch',
    vectorDimensionsMax: isBelow(version, 8, 8) ? 1024 : isBelow(version, 8, 11) ? 2048 : 4096,
    indexSettings: {},
    toVectorMapping: dims => ({
      type: 'dense_vector',
      dims,
      index: true,
      similarity: 'cosine',
      index_options: { type: 'hnsw', m: GRAPH_LINKS, ef_construction: GRAPH_CANDIDATES },
    }),
    toNearest: ({ path, vector, wanted, filter }) => {
      const k = toCandidates(wanted)
      return { knn: { field: path, query_vector: vector, k, num_candidates: k, filter } }
    },
  }
}

function toOpenSearch(version: string): Flavour {
  return {
    engine: 'opensearch',
    vectorDimensionsMax: isBelow(version, 2, 12) ? 1024 : 16_000,
    indexSettings: { knn: true },
    toVectorMapping: dimension => ({
      type: 'knn_vector',
      dimension,
      method: {
        name: 'hnsw',
        engine: 'lucene',
        space_type: 'cosinesimil',
        parameters: { m: GRAPH_LINKS, ef_construction: GRAPH_CANDIDATES },
      },
    }),
    toNearest: ({ path, vector, wanted, filter }) => ({
      query: { knn: { [path]: { vector, k: toCandidates(wanted), filter } } },
    }),
  }
}
