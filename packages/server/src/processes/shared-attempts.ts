/**
 * Counts of attempts at passwords that all processes on one PostgreSQL database share. They are in a table that is not logged, so that no
 * sign-in waits for a disk, and times are those of the database, so that clocks of processes do not matter.
 */
import type { Logger } from 'pino'
import {
  type AttemptCounts,
  delayOf,
  FORGET_MS,
  keysThatCount,
  LIMITS,
  type NamedLimit,
  nameOf,
  OVER_MAX,
} from '../lib/attempts.ts'
import { type Database, marks } from '../storage/database.ts'

const NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint'

/** How long wrong attempts of a key are remembered at most. */
const LONGEST = `case split_part(excluded.name, ' ', 1) ${Object.entries(LIMITS)
  .map(([limit, { free }]) => `when '${limit}' then ${(free + OVER_MAX) * FORGET_MS}`)
  .join(' ')} end`

const PRUNE_MS = 60_000
const PRUNED_MAX = 10_000
/** Addresses with the right password are remembered for 90 days, and the newest of them only. */
const FAMILIAR_MS = 90 * 24 * 3_600_000
const FAMILIAR_MAX = 100_000

interface Options {
  /** It writes; closed with the counts. */
  db: Database
  log: Logger
}

export function openSharedCounts({ db, log }: Options): AttemptCounts {
  const running = new Set<Promise<void>>()
  let prunedAt = performance.now()
  /** What nobody waits for. */
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
      const keys = keysThatCount(all, isFamiliar)
      enter(
        keys,
        longestDelay(keys, key => known.get(key.name)?.left_ms ?? 0),
      )
      const lefts = await addToCounts(db, keys)
      // Others may have been counted since the counts were read.
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

/** Rows are locked in the order of their names, so that processes do not wait for each other. */
const sortedNames = (keys: readonly NamedLimit[]) => keys.map(({ name }) => name).toSorted()

/** Answers after how many milliseconds all are forgotten. */
async function addToCounts(db: Database, keys: readonly NamedLimit[]): Promise<Map<string, number>> {
  const names = sortedNames(keys)
  const text = `insert into sign_in_attempts as known (name, forgotten_at)
    values ${names.map(() => `(?, ${NOW} + ${FORGET_MS})`).join(', ')}
    on conflict (name) do update
      set forgotten_at = least(greatest(known.forgotten_at, ${NOW}) + ${FORGET_MS}, ${NOW} + ${LONGEST})
    returning name, forgotten_at - ${NOW} as left_ms`
  return new Map((await db.sql.all<CountRow>(text, names)).map(row => [row.name, row.left_ms]))
}

/** `familiar`: the name of a pair of account and address that had the right password. */
async function subtractFromCounts(db: Database, keys: readonly NamedLimit[], familiar = ''): Promise<void> {
  const names = sortedNames(keys)
  const text = `update sign_in_attempts set forgotten_at = forgotten_at - ${FORGET_MS},
      familiar_at = case when name = ? then ${NOW} else familiar_at end
    where name in (select name from sign_in_attempts where name in (${marks(names)}) order by name for update)`
  await db.sql.run(text, [familiar, ...names])
}

/** Deletes what does not count any more. Rows that others use are left for the next time. */
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
