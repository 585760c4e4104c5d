/** All differences between Elasticsearch and OpenSearch. */

import { toScore } from '../embedded/vectors/cosine.ts'

export type EngineName = 'elasticsearch' | 'opensearch'

/** A query or part of a query, in the JSON form of the engines. */
export type Clause = { [kind: string]: unknown }

export interface NearestQuery {
  /** The index field with the vectors. */
  path: string
  vector: number[]
  /** Number of neighbours that the caller needs. */
  wanted: number
  /** Filter that the neighbours must match. */
  filter: Clause
}

export interface Flavour {
  engine: EngineName
  /** Vectors with more dimensions cannot be indexed. */
  vectorDimensionsMax: number
  /** Index settings that only this engine has. */
  indexSettings: object
  /** The similarity metric. It cannot be changed for an existing index. */
  similarity: string
  toVectorMapping(dimensions: number): object
  /** Returns the part of a search body that finds the nearest vectors. */
  toNearest(query: NearestQuery): object
  /** Converts the engine's score of a neighbour to (1 + cos) / 2. */
  fromNearestScore(score: number): number
}

/**
 * Parameters of the HNSW graph. Building it is most of the cost of indexing. With smaller values, searches start to miss
 * neighbours; larger values only cost time.
 */
const GRAPH_LINKS = 16
const GRAPH_CANDIDATES = 64

/**
 * More neighbours are requested than needed, and the caller uses the first ones. This reduces the number of missed neighbours and
 * makes it possible to sort ties. For smaller datasets, the results are exact.
 */
const CANDIDATES_MIN = 1000
const CANDIDATES_PER_NEIGHBOUR = 4
/** Both engines reject larger numbers. */
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
    similarity: 'cosine',
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
    fromNearestScore: score => score,
  }
}

/**
 * Vectors have length 1, so the inner product equals the cosine. It needs a third of the arithmetic, which dominates the time to
 * build the graph. Elasticsearch does this automatically from version 8.12.
 */
function toOpenSearch(version: string): Flavour {
  const similarity = isBelow(version, 2, 13) ? 'cosinesimil' : 'innerproduct'
  return {
    engine: 'opensearch',
    vectorDimensionsMax: isBelow(version, 2, 12) ? 1024 : 16_000,
    indexSettings: { knn: true },
    similarity,
    toVectorMapping: dimension => ({
      type: 'knn_vector',
      dimension,
      method: {
        name: 'hnsw',
        engine: 'lucene',
        space_type: similarity,
        parameters: { m: GRAPH_LINKS, ef_construction: GRAPH_CANDIDATES },
      },
    }),
    toNearest: ({ path, vector, wanted, filter }) => ({
      query: { knn: { [path]: { vector, k: toCandidates(wanted), filter } } },
    }),
    fromNearestScore: similarity === 'innerproduct' ? score => toScore(fromInnerProductScore(score)) : score => score,
  }
}

/** The engine maps the inner product x to positive scores: 1 + x if x is at least 0, otherwise 1 / (1 - x). */
const fromInnerProductScore = (score: number): number => (score >= 1 ? score - 1 : 1 - 1 / score)
