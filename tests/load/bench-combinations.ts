/**
 * `npm run bench:combinations`: the same work on every database and search engine, and with several server processes, in one run.
 *
 * Options: `--records 20000`, `--submits 2000`, `--requests 200` of each search, `--streams 1000` (0: none), `--json <file>`, and
 * `--combinations postgres,sqlite+opensearch` to choose. The first one is what the others are compared with.
 */
import { writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { type CombinationResult, printReport } from './combination-report.ts'
import { type Combination, deploy, type Machines, startMachines, toCombination } from './combinations.ts'
import { measureEngineTimes } from './engine-times.ts'
import { measureStreams } from './streams.ts'
import { fill, measureMixed, measureReads, measureSubmits } from './workload.ts'

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
      // The others are measured all the same: a run takes long.
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
  const tell = (what: string) => say(`${combination.name}: ${what} …`)
  tell('starting')
  const deployment = await deploy(combination, machines, number)
  try {
    tell(`filling ${sizes.records} records`)
    const { bench, figures } = await fill(deployment, sizes)
    tell('submits')
    figures.push(...(await measureSubmits(deployment, bench, sizes)))
    tell('reads')
    figures.push(...(await measureReads(deployment, bench, sizes)))
    tell('mixed')
    figures.push(await measureMixed(deployment, bench, sizes))
    if (deployment.engine) tell('the engine by itself')
    const engine = await measureEngineTimes(deployment, bench, sizes.requests)
    const [server] = deployment.servers
    const isMeasured = streams > 0 && combination.engine === 'embedded' && combination.processes === 1
    if (isMeasured) tell(`${streams} event streams`)
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
