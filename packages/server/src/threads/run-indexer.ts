/** Indexer thread: keeps the indexes of a search cluster up to date. It only reads the database. */
import { parentPort, workerData } from 'node:worker_threads'
import { pino } from 'pino'
import { openElasticEngine } from '../search/elastic/engine.ts'
import { openIndexer } from '../search/elastic/indexer.ts'
import { openDatabase } from '../storage/open-database.ts'
import type { FromWorker, ToWorker, WorkerStart } from './messages.ts'

/** Small, because each row is read only once. */
const CACHE_MB = 8

const { config } = workerData as WorkerStart
const port = parentPort
if (!port || !config.elastic) throw new Error('this file is a worker thread of a server with a search cluster')

const db = openDatabase(config, { user: 'indexer', readonly: true, cacheMb: CACHE_MB })
const engine = openElasticEngine({ db, config: config.elastic, log: pino({ level: config.logLevel }) })
const indexer = openIndexer(engine)

port.on('message', (message: ToWorker) => {
  if (message.kind === 'close') void close()
  if (message.kind === 'wake') indexer.wake()
})

async function close(): Promise<void> {
  await indexer.close()
  await engine.close()
  await db.close()
  port?.close()
}

port.postMessage({ kind: 'ready' } satisfies FromWorker)
