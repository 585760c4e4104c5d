/**
 * `npm run bench:combinations`: the same workload on every database and search engine, and with several server processes, in one
 * run.
 *
 * Options: `--records 20000`, `--submits 2000`, `--requests 200` of each search, `--streams 1000` (0: none), `--json <file>`, and
 * `--combinations postgres,sqlite+opensearch` to choose. The others are compared with the first one.
 */
import { writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { type CombinationResult, printReport } from './combination-report.ts'
import { type Combination, deploy, type Machines, startMachines, toCombination } from './combinations.ts'
import { measureEngineTimes } from './engine-times.ts'
import { measureStreams } from './streams.ts'
import { fill, measureMixed, measureReads, measureSubmits, type WorkloadFigure } from './workload.ts'

const ALL = 'sqlite,postgres,postgres x2,postgres x4,postgres+opensearch,postgres+elasticsearch,sqlite+opensearch'

const { values: options } = parseArgs({
  options: {
    combinations: { type: 'string', default: ALL },
    records: { type: 'string', default: '20000' },
    submits: { type: 'string', default: '2000' },
    requests: { type: 'string', default: '200' },
    streams: { type: 'string', default: '1000' },
    json: { type: 'string' },
  },
})
const sizes = { records: Number(options.records), submits: Number(options.submits), requests: Number(options.requests) }
const streams = Number(options.streams)
const combinations = options.combinations.split(',').map(toCombination)
if (sizes.records < 3 * sizes.submits) throw new Error('--records must be three times --submits or more')

const say = (text: string) => process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`)

say('starting databases and engines …')
const machines = await startMachines(combinations)
try {
  const results: CombinationResult[] = []
  for (const [index, combination] of combinations.entries()) {
    try {
      results.push(await measureOne(combination, machines, index))
    } catch (error) {
      // The other combinations are still measured, because a run takes long.
      process.exitCode = 1
      say(`${combination.name} FAILED: ${error instanceof Error ? error.stack : error}`)
    }
  }
  printReport(results)
  const machine = { cores: availableParallelism(), model: cpus()[0]?.model, node: process.version }
  const figures = JSON.stringify({ machine, sizes, results })
  process.stdout.write(`\n${figures}\n`)
  if (options.json !== undefined) writeFileSync(options.json, figures)
} finally {
  await machines.close()
}

async function measureOne(combination: Combination, machines: Machines, number: number): Promise<CombinationResult> {
  const tell = (what: string) => say(`${combination.name}: ${what}`)
  tell('starting …')
  const deployment = await deploy(combination, machines, number)
  try {
    tell(`filling ${sizes.records} records …`)
    const { bench, figures } = await fill(deployment, sizes)
    tellFigures(tell, figures)
    tell('submits …')
    figures.push(...(await measureSubmits(deployment, bench, sizes)))
    tell('reads …')
    const reads = await measureReads(deployment, bench, sizes)
    tellFigures(tell, reads)
    figures.push(...reads)
    tell('mixed …')
    figures.push(await measureMixed(deployment, bench, sizes))
    if (deployment.engine) tell('the engine by itself …')
    const engine = await measureEngineTimes(deployment, bench, sizes.requests)
    for (const { step, p95_ms, engine_p95_ms } of engine)
      tell(`${step}: p95 ${p95_ms.toFixed(1)} ms, the engine's own ${engine_p95_ms.toFixed(1)} ms`)
    const [server] = deployment.servers
    const isMeasured = streams > 0 && combination.engine === 'embedded' && combination.processes === 1
    if (isMeasured) tell(`${streams} event streams …`)
    return {
      combination,
      figures,
      engine,
      streams: isMeasured && server ? await measureStreams(server, bench.dataset, streams, bench.recordIds) : null,
    }
  } finally {
    await deployment.close()
  }
}

/** Prints figures early, because a run takes long and may be stopped before its tables are printed. */
function tellFigures(tell: (what: string) => void, figures: readonly WorkloadFigure[]): void {
  for (const { step, p50_ms, p95_ms, per_second = Number.NaN, cpu_ms, stolen_share = 0 } of figures) {
    const times = p50_ms === undefined ? '' : `${p50_ms.toFixed(1)} / ${p95_ms?.toFixed(1)} ms, `
    const spent = Object.entries(cpu_ms ?? {}).map(([of, ms]) => `${of} ${ms.toFixed(2)}`)
    tell(
      `${step}: ${times}${per_second.toFixed(0)}/s; processor ms: ${spent.join(', ')}; stolen ${(100 * stolen_share).toFixed(0)} %`,
    )
  }
}
