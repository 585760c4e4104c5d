/**
 * Cache of public user data as JSON text. Only used on SQLite, where one thread writes; every change of a user's row removes its
 * entry.
 */
import type { Id } from '@postil/domain/schema'
import type { Queryable } from './database.ts'

const keyOf = (id: Id) => `shown user ${id}`

export const findCachedUser = (db: Queryable, id: Id): string | undefined =>
  db.dialect.name === 'sqlite' ? (db.cache.get(keyOf(id)) as string | undefined) : undefined

export const cacheUser = (db: Queryable, id: Id, text: string): void => db.cache.set(keyOf(id), text)

export const uncacheUser = (db: Queryable, id: Id): void => db.cache.set(keyOf(id), undefined)
