/** Rows that only the server itself would write, or only at another time. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

type Value = string | number | null

export function changeRows({ home }: { home: string }, text: string, values: Value[] = []): void {
  const database = new DatabaseSync(join(home, 'postil.db'), { timeout: 60_000 })
  database.prepare(text).run(...values)
  database.close()
}

/** Now and then, as the database writes times. */
export const timeIn = (seconds: number) => `${new Date(Date.now() + seconds * 1000).toISOString().slice(0, 23)}000`

/** Ids begin with the time, and lists are in their order. */
export const newId = () =>
  `${Date.now()
    .toString(16)
    .padStart(12, '0')
    .replace(/^(.{8})/, '$1-')}-7${randomUUID().slice(15)}`

export interface JobRow {
  name?: string
  status?: 'queued' | 'started' | 'failed' | 'finished'
  payload?: object
  attempts?: number
  error?: string | null
}

/** As a job stands after it was given up, or while a process works on it. */
export function addJob(
  server: { home: string },
  { name = 'purge-dataset', status = 'failed', payload = {}, attempts = 4, error = null }: JobRow,
): string {
  const id = newId()
  const now = timeIn(0)
  const row = {
    id,
    name,
    payload: JSON.stringify({ dataset_id: randomUUID(), ...payload }),
    status,
    attempts,
    error,
    // As long as a lease may be, so that no worker takes the job.
    leased_until: status === 'started' ? timeIn(50) : null,
    run_at: now,
    inserted_at: now,
    updated_at: now,
    finished_at: ['failed', 'finished'].includes(status) ? now : null,
  }
  const names = Object.keys(row)
  changeRows(server, `insert into jobs (${names.join()}) values (${names.map(() => '?').join()})`, Object.values(row))
  return id
}
