/**
 * Counts of failed password attempts, shared by all processes on one PostgreSQL database. They are in an unlogged table, so that
 * sign-ins do not wait for disk writes. Timestamps come from the database, so that differences between process clocks do not
 * matter.
 */
import type { Logger } from 'pino'
import {
  type AttemptCounts,
  delayOf,
  FORGET_MS,
  LIMITS,
  type NamedLimit,
  nameOf,
  OVER_MAX,
  toCountedKeys,
} from '../lib/attempts.ts'
import { type Database, marks } from '../storage/database.ts'

const NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint'

/** Maximum time for which failed attempts of a key count. */
const LONGEST = `case split_part(excluded.name, ' ', 1) ${Object.entries(LIMITS)
  .map(([limit, { free }]) => `when '${limit}' then ${(free + OVER_MAX) * FORGET_MS}`)
  .join(' ')} end`

const PRUNE_MS = 60_000
const PRUNED_MAX = 10_000
/** Addresses with a successful sign-in are familiar for 90 days; only the most recent ones are kept. */
const FAMILIAR_MS = 90 * 24 * 3_600_000
const FAMILIAR_MAX = 100_000

interface Options {
  /** Writable handle, closed together with the counts. */
  db: Database
  log: Logger
}

export function openSharedAttempts({ db, log }: Options): AttemptCounts {
  const running = new Set<Promise<void>>()
  let prunedAt = performance.now()
  /** Runs work without delaying the sign-in; `close` waits for it. */
  const inBackground = (work: Promise<unknown>) => {
    const done = work.then(
      () => {},
      (error: unknown) => log.warn({ err: error }, 'attempts at passwords could not be stored'),
    )
    running.add(done)
    void done.finally(() => running.delete(done))
  }
  return {
    add: async (all, enter) => {
      const known = await readCounts(db, all)
      const isFamiliar = known.get(nameOf(all, 'account_and_address') ?? '')?.is_familiar ?? false
      const keys = toCountedKeys(all, isFamiliar)
      enter(
        keys,
        longestDelay(keys, key => known.get(key.name)?.left_ms ?? 0),
      )
      const lefts = await addToCounts(db, keys)
      // Checks again, because other attempts may have been counted since the counts were read.
      const delayMs = longestDelay(keys, key => (lefts.get(key.name) ?? 0) - FORGET_MS)
      try {
        enter(keys, delayMs)
      } catch (error) {
        inBackground(subtractFromCounts(db, keys))
        throw error
      }
      if (performance.now() - prunedAt > PRUNE_MS) {
        prunedAt = performance.now()
        inBackground(pruneCounts(db))
      }
      return { keys, isFamiliar, delayMs }
    },
    takeBack: (keys, isRight) => {
      const pair = isRight ? nameOf(keys, 'account_and_address') : undefined
      inBackground(subtractFromCounts(db, keys, pair))
    },
    close: async () => {
      await Promise.all(running)
      await db.close()
    },
  }
}

const longestDelay = (keys: readonly NamedLimit[], leftOf: (key: NamedLimit) => number) =>
  Math.max(...keys.map(key => delayOf(key, Math.max(0, leftOf(key)))))

interface CountRow {
  name: string
  left_ms: number
  is_familiar: boolean
}

async function readCounts(db: Database, keys: readonly NamedLimit[]): Promise<Map<string, CountRow>> {
  const names = keys.map(({ name }) => name)
  const text = `select name, forgotten_at - ${NOW} as left_ms, familiar_at is not null as is_familiar
    from sign_in_attempts where name in (${marks(names)})`
  return new Map((await db.sql.all<CountRow>(text, names)).map(row => [row.name, row]))
}

/** Rows are locked in the order of their names to prevent deadlocks. */
const sortedNames = (keys: readonly NamedLimit[]) => keys.map(({ name }) => name).toSorted()

/** Returns, for each key, the milliseconds until all its attempts have expired. */
async function addToCounts(db: Database, keys: readonly NamedLimit[]): Promise<Map<string, number>> {
  const names = sortedNames(keys)
  const text = `insert into sign_in_attempts as known (name, forgotten_at)
    values ${names.map(() => `(?, ${NOW} + ${FORGET_MS})`).join(', ')}
    on conflict (name) do update
      set forgotten_at = least(greatest(known.forgotten_at, ${NOW}) + ${FORGET_MS}, ${NOW} + ${LONGEST})
    returning name, forgotten_at - ${NOW} as left_ms`
  return new Map((await db.sql.all<CountRow>(text, names)).map(row => [row.name, row.left_ms]))
}

/** `familiar` is the name of the key of an account and address pair that had the right password. */
async function subtractFromCounts(db: Database, keys: readonly NamedLimit[], familiar = ''): Promise<void> {
  const names = sortedNames(keys)
  const text = `update sign_in_attempts set forgotten_at = forgotten_at - ${FORGET_MS},
      familiar_at = case when name = ? then ${NOW} else familiar_at end
    where name in (select name from sign_in_attempts where name in (${marks(names)}) order by name for update)`
  await db.sql.run(text, [familiar, ...names])
}

/** Deletes expired rows. Locked rows are left for the next run. */
async function pruneCounts(db: Database): Promise<void> {
  await db.sql.run(
    `delete from sign_in_attempts where name in (
      select name from sign_in_attempts
      where forgotten_at < ${NOW} and (familiar_at is null or familiar_at < ${NOW} - ${FAMILIAR_MS})
      limit ${PRUNED_MAX} for update skip locked)`,
  )
  await db.sql.run(
    `update sign_in_attempts set familiar_at = null where name in (
      select name from sign_in_attempts where familiar_at <= (
        select familiar_at from sign_in_attempts where familiar_at is not null order by familiar_at desc offset ${FAMILIAR_MAX} limit 1)
      for update skip locked)`,
  )
}
