/**
 * `npm run bench:scaling`: space for many records, extrapolated from measurements of fewer records.
 *
 * Without options it prints the tables of docs/scaling.md from the figures in scaling.json. `--measure sqlite,postgres` fills
 * fresh databases with `--records 100000` each and prints the measurements; `--keep` writes them to scaling.json.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { deploy, startMachines, toCombination } from './combinations.ts'
import { measureSizes, type SizeFigures } from './scaling-measure.ts'
import { printProjections } from './scaling-report.ts'

const KEPT = new URL('./scaling.json', import.meta.url)

const { values: options } = parseArgs({
  options: {
    measure: { type: 'string', default: '' },
    records: { type: 'string', default: '100000' },
    keep: { type: 'boolean' },
  },
})

const kept: SizeFigures[] = existsSync(KEPT) ? JSON.parse(readFileSync(KEPT, 'utf8')) : []
const measured = options.measure === '' ? [] : await measureAll(options.measure.split(','), Number(options.records))
const isSame = (a: SizeFigures, b: SizeFigures) => a.database === b.database && a.records === b.records
const all = [...kept.filter(old => !measured.some(one => isSame(old, one))), ...measured]
printProjections(all)
if (options.keep) writeFileSync(KEPT, `${JSON.stringify(all, rounded, 2)}\n`)

function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 100) / 100 : value
}

async function measureAll(names: readonly string[], records: number): Promise<SizeFigures[]> {
  const combinations = names.map(toCombination)
  const machines = await startMachines(combinations)
  const results: SizeFigures[] = []
  try {
    for (const [number, combination] of combinations.entries()) {
      process.stderr.write(`${combination.name}: ${records} records …\n`)
      const deployment = await deploy(combination, machines, number)
      try {
        results.push(await measureSizes(deployment, records))
      } finally {
        await deployment.close()
      }
    }
  } finally {
    await machines.close()
  }
  return results
}
