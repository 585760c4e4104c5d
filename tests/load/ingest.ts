import { expect } from 'vitest'
import type { StartedServer } from '../server.ts'
import { createMeasuredDataset, toBodies } from './dataset.ts'
import { openConnection } from './http-client.ts'

const RECORDS_PER_BULK = 200

/** Writes records until it is stopped. `answered` contains the records that the server acknowledged. */
export async function openIngest(server: StartedServer) {
  const dataset = await createMeasuredDataset(server)
  const answered = new Set<string>()
  let isStopped = false
  const write = async () => {
    const connection = await openConnection(server.url, server.apiKey)
    for (let from = 0; !isStopped; from += RECORDS_PER_BULK) {
      const [body] = toBodies(dataset, from, from + RECORDS_PER_BULK)
      const answer = await connection.send('PUT', `/api/v1/datasets/${dataset.id}/records/bulk`, body)
      expect(answer.status).toBe(200)
      for (const { external_id } of JSON.parse(answer.body.toString()).items) answered.add(external_id)
    }
    connection.close()
  }
  const written = write()
  const stop = () => {
    isStopped = true
    return written
  }
  return { answered, stop }
}
