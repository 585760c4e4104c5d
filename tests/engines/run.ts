/**
 * Runs a search engine until Ctrl-C, for tests by hand:
 *
 *   node tests/engines/run.ts opensearch
 */
import { ENGINES, type EngineName } from './build.ts'
import { startEngine } from './start.ts'

const [name = ''] = process.argv.slice(2)
if (!(name in ENGINES)) {
  console.error(`Usage: node tests/engines/run.ts ${Object.keys(ENGINES).join('|')}`)
  process.exit(2)
}
const engine = await startEngine(name as EngineName)
console.log(`POSTIL_TEST_ENGINE=${name} POSTIL_TEST_ENGINE_URL=${engine.url}`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void engine.stop())
