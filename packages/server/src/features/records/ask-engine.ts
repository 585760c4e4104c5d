/**
 * Requests to the search engine.
 *
 * The embedded engine reads in the snapshot of the request. A cluster responds over the network and may have to wait for its
 * index. During that time the request holds neither a snapshot nor a database connection, so that many requests can wait
 * concurrently.
 */
import type { Id } from '@postil/domain/schema'
import type { Context } from '../../context.ts'
import type { Database, Queryable } from '../../storage/database.ts'
import { readDataset } from '../datasets/speculative-read.ts'
import type { StoredDataset } from '../datasets/store.ts'

/** Runs `work` in one consistent view of the database. */
export type Read<View> = <T>(work: (view: View) => Promise<T>) => Promise<T>

/** Provides views that include the row of a dataset. */
export const createDatasetRead =
  (db: Database, datasetId: Id): Read<{ db: Queryable; dataset: StoredDataset }> =>
  work =>
    readDataset(db, datasetId, (snapshot, dataset) => work({ db: snapshot, dataset }))

/** `prepare` reads from the database and returns a function that queries the engine. Its result is returned. */
export async function askEngine<View, T>(
  { search }: Pick<Context, 'search'>,
  read: Read<View>,
  prepare: (view: View) => Promise<() => Promise<T>>,
): Promise<T> {
  if (!search.isRemote) return read(async view => (await prepare(view))())
  return (await startAsking(read, prepare)).found
}

/**
 * Same as `askEngine`, followed by reading the records that the engine found. With a cluster they are read in a newer view, which
 * contains everything the cluster has indexed.
 */
export async function askAndRead<View, Found, T>(
  { search }: Pick<Context, 'search'>,
  read: Read<View>,
  prepare: (view: View) => Promise<() => Promise<Found>>,
  show: (view: View, found: Found) => Promise<T>,
): Promise<T> {
  if (!search.isRemote) return read(async view => show(view, await (await prepare(view))()))
  const found = await (await startAsking(read, prepare)).found
  return read(view => show(view, found))
}

/**
 * Sends the request before the view is closed. A view that starts with an expected dataset (datasets/speculative-read.ts) may turn out to
 * be wrong; it then runs again, and the first result or error is ignored.
 */
const startAsking = <View, T>(
  read: Read<View>,
  prepare: (view: View) => Promise<() => Promise<T>>,
): Promise<{ found: Promise<T> }> =>
  read(async view => {
    const found = (await prepare(view))()
    found.catch(() => undefined)
    return { found }
  })
