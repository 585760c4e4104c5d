/** Tables of `bench:combinations`: steps by combination, CPU time by process, the engine's own times, and the targets. */
import type { Combination, ProcessorTimes } from './combinations.ts'
import type { EngineFigure } from './engine-times.ts'
import { printRows } from './report.ts'
import type { StreamFigures } from './streams.ts'
import { INGEST_STEPS, isSearch, SUBMIT_STEPS, type WorkloadFigure } from './workload.ts'

export interface CombinationResult {
  combination: Combination
  figures: WorkloadFigure[]
  engine: EngineFigure[]
  streams: StreamFigures | null
}

/** Maximum time of a search in addition to the engine's own time. */
const BESIDE_ENGINE_MS = 8
const EMBEDDED_RATIO_MAX = 1.2
const TWO_PROCESSES_MIN = 1.6
const INGEST_MIN: Readonly<Record<string, number>> = { postgres: 4_000, 'postgres+opensearch': 1_500 }

export function printReport(results: readonly CombinationResult[]): void {
  printSteps(results)
  printProcessorTimes(results)
  printEngines(results)
  printStreams(results)
  printWanted(results)
}

const title = (text: string) => process.stdout.write(`\n${text}\n`)
const find = (result: CombinationResult | undefined, step: string) => result?.figures.find(figure => figure.step === step)

function printSteps(results: readonly CombinationResult[]): void {
  const [first] = results
  title(`Steps: what a client gets, and in brackets how many times as long as on ${first?.combination.name}`)
  printRows([
    ['step', ...results.map(({ combination }) => combination.name)],
    ...(first?.figures ?? []).map(({ step }) => [
      step,
      ...results.map(result => describe(find(result, step), result === first ? undefined : find(first, step))),
    ]),
  ])
}

function describe(figure: WorkloadFigure | undefined, first: WorkloadFigure | undefined): string {
  if (!figure) return ''
  const cost = ({ p50_ms, per_second }: WorkloadFigure, step: string) =>
    p50_ms === undefined || step.includes('8 clients') ? 1 / (per_second ?? Number.NaN) : p50_ms
  const ratio = first ? ` (x${(cost(figure, figure.step) / cost(first, first.step)).toFixed(2)})` : ''
  const { p50_ms, p95_ms, per_second } = figure
  const rate = `${(per_second ?? Number.NaN).toFixed(0)}/s`
  const text = p50_ms === undefined ? rate : `${p50_ms.toFixed(1)} / ${p95_ms?.toFixed(1)} ms`
  return figure.step.includes('8 clients') ? `${rate}, ${text}${ratio}` : `${text}${ratio}`
}

const PROCESSES: readonly (keyof ProcessorTimes)[] = ['servers', 'database', 'engine', 'client']

function printProcessorTimes(results: readonly CombinationResult[]): void {
  title(
    'Processor time for one record, submit or request; how much of all cores was used, and how much the host of a virtual machine took away',
  )
  printRows([
    ['combination', 'step', ...PROCESSES, 'together', 'of all cores', 'stolen'],
    ...results.flatMap(({ combination, figures }) =>
      figures.flatMap(({ step, cpu_ms, cpu_share, stolen_share }) => {
        if (!cpu_ms) return []
        const all = PROCESSES.reduce((sum, key) => sum + cpu_ms[key], 0)
        const times = [...PROCESSES.map(key => cpu_ms[key]), all].map(ms => `${ms.toFixed(2)} ms`)
        return [
          [combination.name, step, ...times, ...[cpu_share, stolen_share].map(share => `${(100 * (share ?? 0)).toFixed(0)} %`)],
        ]
      }),
    ),
  ])
}

function printEngines(results: readonly CombinationResult[]): void {
  const rows = results.flatMap(({ combination, engine }) =>
    engine.map(({ step, p50_ms, p95_ms, engine_p50_ms, engine_p95_ms }) => [
      combination.name,
      step,
      `${engine_p50_ms.toFixed(1)} / ${engine_p95_ms.toFixed(1)} ms`,
      `${p50_ms.toFixed(1)} / ${p95_ms.toFixed(1)} ms`,
      `${(p50_ms - engine_p50_ms).toFixed(1)} / ${(p95_ms - engine_p95_ms).toFixed(1)} ms`,
      p95_ms - engine_p95_ms <= BESIDE_ENGINE_MS ? '' : 'missed',
    ]),
  )
  if (rows.length === 0) return
  title(
    `Searches, p50 / p95: the engine alone, Postil, and the difference (wanted: a p95 of at most ${BESIDE_ENGINE_MS} ms more)`,
  )
  printRows([['combination', 'step', 'engine alone', 'Postil', 'difference', ''], ...rows])
}

function printStreams(results: readonly CombinationResult[]): void {
  const rows = results.flatMap(({ combination, streams }) => {
    if (!streams) return []
    const { submit_before: before, submit_during: during } = streams
    return [
      [
        combination.name,
        String(streams.streams),
        `${streams.memory_before_mb.toFixed(0)} -> ${streams.memory_after_mb.toFixed(0)} MB`,
        `${streams.kb_per_stream.toFixed(0)} KB`,
        `${streams.idle_cpu_percent.toFixed(1)} %`,
        `${before.p50_ms.toFixed(1)} / ${before.p95_ms.toFixed(1)} ms`,
        `${during.p50_ms.toFixed(1)} / ${during.p95_ms.toFixed(1)} ms`,
        `${streams.busy_cpu_percent.toFixed(0)} %`,
        String(streams.reached),
      ],
    ]
  })
  if (rows.length === 0) return
  title('Idle event streams of one process; submits of one person who answers every 50 ms; processor time as a share of one core')
  const head = [
    'combination',
    'streams',
    'memory',
    'a stream',
    'idle',
    'submit without',
    'submit with',
    'while submitting',
    'told',
  ]
  printRows([head, ...rows])
}

interface FigureTarget {
  what: string
  wanted: string
  reached: string
  isMet: boolean
}

function printWanted(results: readonly CombinationResult[]): void {
  const rows = listTargets(results).map(({ what, wanted, reached, isMet }) => [what, wanted, reached, isMet ? '' : 'missed'])
  if (rows.length === 0) return
  title('What is wanted')
  printRows([['what', 'wanted', 'reached', ''], ...rows])
}

function listTargets(results: readonly CombinationResult[]): FigureTarget[] {
  const by = new Map(results.map(result => [result.combination.name, result]))
  const rates = Object.entries(INGEST_MIN).flatMap(([name, min]) => {
    const reached = find(by.get(name), INGEST_STEPS.found)?.per_second
    if (reached === undefined) return []
    return [{ what: `${name}: ingest`, wanted: `${min}/s`, reached: `${reached.toFixed(0)}/s`, isMet: reached >= min }]
  })
  return [...rates, ...listSearchRatios(by.get('sqlite'), by.get('postgres')), ...listTwoProcesses(by)]
}

function listSearchRatios(sqlite: CombinationResult | undefined, postgres: CombinationResult | undefined): FigureTarget[] {
  return (sqlite?.figures ?? [])
    .filter(({ step }) => isSearch(step))
    .flatMap(({ step, p95_ms = Number.NaN }) => {
      const ratio = (find(postgres, step)?.p95_ms ?? Number.NaN) / p95_ms
      if (Number.isNaN(ratio)) return []
      const what = `postgres: ${step}, p95 beside SQLite's`
      return [{ what, wanted: `x${EMBEDDED_RATIO_MAX}`, reached: `x${ratio.toFixed(2)}`, isMet: ratio <= EMBEDDED_RATIO_MAX }]
    })
}

function listTwoProcesses(by: ReadonlyMap<string, CombinationResult>): FigureTarget[] {
  const [one, two] = ['postgres', 'postgres x2'].map(name => find(by.get(name), SUBMIT_STEPS.eight)?.per_second)
  if (one === undefined || two === undefined) return []
  const share = find(by.get('postgres'), SUBMIT_STEPS.eight)?.cpu_share ?? Number.NaN
  const what = `submits of two processes beside one, which used ${(100 * share).toFixed(0)} % of all cores`
  const reached = `x${(two / one).toFixed(2)}`
  return [{ what, wanted: `x${TWO_PROCESSES_MIN}`, reached, isMet: two / one >= TWO_PROCESSES_MIN }]
}
