/** SQL for names of users and workspaces that are equal or look alike. */
import type { Id } from '@postil/domain/schema'
import { hashSkeleton } from '../../lib/skeleton-hash.ts'
import { marks, type Queryable } from '../../storage/database.ts'
import { IS_AUTHOR } from '../../storage/deleted-users.ts'

/** Pseudonyms count too: nobody should pass for one. */
const NAMES = {
  user: `select username as name, username_skeleton as skeleton from users u where ${IS_AUTHOR} and `,
  workspace: 'select name, name_skeleton as skeleton from workspaces u where ',
}
const COLUMNS = { user: ['username', 'username_skeleton'], workspace: ['name', 'name_skeleton'] } as const
export type Named = keyof typeof NAMES

/** Arbitrary key of the advisory lock, the same in all processes. */
const NAMES_LOCK = 7_665_712_452

/** Until the transaction ends, no other one can add or change a name of a user or workspace. */
export async function lockNames(db: Queryable): Promise<void> {
  if (db.dialect.name === 'postgres') await db.sql.get(`select pg_advisory_xact_lock(${NAMES_LOCK})`)
}

/** Returns the name of another user or workspace that equals this one or looks like it, or null. Equal names come first. */
export async function findSameName(db: Queryable, named: Named, name: string, except: Id | null = null): Promise<string | null> {
  const [column, skeleton] = COLUMNS[named]
  // By name too, because a process of an older release may have stored a name without its skeleton.
  const text = `${NAMES[named]} (${skeleton} = ? or ${column} = ?) and id <> ?
    order by case when ${column} = ? then 0 else 1 end, inserted_at, id limit 1`
  const row = await db.sql.get<{ name: string }>(text, [hashSkeleton(name), name, except ?? '', name])
  return row?.name ?? null
}

/** Returns those of the names (at most a few hundred) that are taken, or look like one that is. */
export async function listTakenUsernames(db: Queryable, names: readonly string[]): Promise<Set<string>> {
  const hashes = names.map(hashSkeleton)
  const text = `${NAMES.user} (username_skeleton in (${marks(names)}) or username in (${marks(names)}))`
  const rows = await db.sql.all<{ name: string; skeleton: string | null }>(text, [...hashes, ...names])
  const taken = new Set(rows.flatMap(({ name, skeleton }) => [name, skeleton]))
  return new Set(names.filter((name, index) => taken.has(name) || taken.has(hashes[index] as string)))
}
