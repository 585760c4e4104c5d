/**
 * `npm run bench:scaling`: what many records take, worked out from what some records were measured to take.
 *
 * Without options it prints the tables of docs/scaling.md from the figures kept in scaling.json. `--measure sqlite,postgres` fills
 * fresh databases, `--records 100000` each, and prints what they took; `--keep` writes it to scaling.json, for those that were measured.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { deploy, startMachines, toCombination } from './combinations.ts'
import { type Measured, measureSizes } from './scaling-measure.ts'
import { printProjections } from './scaling-report.ts'

const KEPT = new URL('./scaling.json', import.meta.url)

const { values: options } = parseArgs({
  options: {
    measure: { type: 'string', default: '' },
    records: { type: 'string', default: '100000' },
    keep: { type: 'boolean' },
  },
})

const kept: Measured[] = existsSync(KEPT) ? JSON.parse(readFileSync(KEPT, 'utf8')) : []
const measured = options.measure === '' ? [] : await measureAll(options.measure.split(','), Number(options.records))
const isSame = (a: Measured, b: Measured) => a.database === b.database && a.records === b.records
const all = [...kept.filter(old => !measured.some(one => isSame(old, one))), ...measured]
printProjections(all)
if (options.keep) writeFileSync(KEPT, `${JSON.stringify(all, rounded, 2)}\n`)

function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 100) / 100 : value
}

async function measureAll(names: readonly string[], records: number): Promise<Measured[]> {
  const combinations = names.map(toCombination)
  const machines = await startMachines(combinations)
  const results: Measured[] = []
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
