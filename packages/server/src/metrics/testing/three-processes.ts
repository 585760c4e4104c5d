/**
 * Test program with a primary process and three workers: the first worker requests the samples of the others and prints the
 * result.
 */
import cluster from 'node:cluster'
import { forwardMetrics, openPeers } from '../peers.ts'

const PROCESSES = 3
/** Number of the worker that is suspended before the request; 0 for none. */
const STOPPED = Number(process.argv[2] ?? 0)

if (cluster.isPrimary) {
  forwardMetrics()
  const workers = Array.from({ length: PROCESSES }, () => cluster.fork())
  let ready = 0
  cluster.on('message', (worker, message: unknown) => {
    if (message === 'ready' && ++ready === PROCESSES) {
      if (STOPPED > 0) workers[STOPPED - 1]?.process.kill('SIGSTOP')
      workers[0]?.send('ask')
    }
    if (worker.id === 1 && typeof message === 'object' && message !== null && 'told' in message) {
      process.stdout.write(JSON.stringify(message.told))
      for (const each of workers) each.process.kill('SIGKILL')
    }
  })
} else {
  const id = cluster.worker?.id ?? 0
  const peers = openPeers(() => [{ name: 'postil_event_streams', labels: [], value: id * 10 }])
  process.on('message', message => {
    if (message === 'ask') void peers.ask().then(told => process.send?.({ told }))
  })
  process.send?.('ready')
}
