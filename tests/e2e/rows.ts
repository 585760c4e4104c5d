/** Database rows that only the server itself writes, or only at another time. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

type Value = string | number | null

export function changeRows({ home }: { home: string }, text: string, values: Value[] = []): void {
  const database = new DatabaseSync(join(home, 'postil.db'), { timeout: 60_000 })
  database.prepare(text).run(...values)
  database.close()
}

/** Time relative to now, in the format of the database. */
export const timeIn = (seconds: number) => `${new Date(Date.now() + seconds * 1000).toISOString().slice(0, 23)}000`

/** Ids start with the time, because lists are sorted by id. */
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

/** Adds a job that has failed permanently, or that a process is running. */
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
    // Maximum length of a lease, so that no worker takes the job.
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
