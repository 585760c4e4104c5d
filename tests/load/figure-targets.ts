/** Target figures on two cores, by step and number of records. */
import type { Timing } from './measure.ts'

export type FigureTarget = Partial<Timing> & { value?: number }

type BySize = Readonly<Record<number, FigureTarget>>

const p95 = (at20k: number, at100k: number, at1M: number): BySize => ({
  20000: { p95_ms: at20k },
  100000: { p95_ms: at100k },
  1000000: { p95_ms: at1M },
})
const rate = (at20k: number, at100k: number, at1M: number): BySize => ({
  20000: { per_second: at20k },
  100000: { per_second: at100k },
  1000000: { per_second: at1M },
})
const most = (at20k: number, at100k: number, at1M: number): BySize => ({
  20000: { value: at20k },
  100000: { value: at100k },
  1000000: { value: at1M },
})

export const FIGURE_TARGETS: Readonly<Record<string, BySize>> = {
  'ingest, records': rate(10_000, 8_000, 6_000),
  'page of 100, first': p95(5, 5, 5),
  'page of 100, middle': p95(5, 5, 5),
  'page of 100, last': p95(5, 5, 5),
  'filter + sort': p95(3, 6, 30),
  'filter + sort, 8 clients': rate(1_500, 800, 80),
  'filter + sort at offset 5,000': p95(4, 8, 35),
  'sort by updated_at': p95(3, 6, 30),
  'metrics of a term property': p95(2, 5, 30),
  'word in 5%, filter and sort': p95(3, 6, 30),
  'word in half, by relevance': p95(5, 12, 50),
  'word in 0.1%, 8 clients': rate(2_000, 1_000, 100),
  phrase: p95(5, 15, 80),
  prefix: p95(5, 15, 80),
  fuzzy: p95(5, 15, 80),
  'counts beside seven filters': p95(10, 30, 200),
  similarity: p95(5, 12, 60),
  'similarity, filtered': p95(5, 12, 60),
  'upsert of 500 existing records': p95(50, 60, 80),
  'response submit, 8 clients': {
    20000: { per_second: 2_500, p95_ms: 8 },
    100000: { per_second: 2_500, p95_ms: 8 },
    1000000: { per_second: 2_000 },
  },
  'response submit during ingest': p95(50, 50, 80),
  'small read during ingest': p95(10, 10, 10),
  'memory after the reads, MB': most(400, 500, 1_800),
  'cold start to first answer, ms': most(1_200, 1_200, 2_000),
  'cold start to first search, ms': most(1_500, 2_000, 4_000),
}
