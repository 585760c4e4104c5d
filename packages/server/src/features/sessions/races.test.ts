/** Signing in and changing a password in two processes concurrently. */
import type { Id } from '@postil/domain/schema'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { RequestContext } from '../../context.ts'
import type { Database } from '../../storage/database.ts'
import { actAs, openTestContext, type TestContext } from '../../testing/context.ts'
import { eachDatabase } from '../../testing/databases.ts'
import { inProcess, race } from '../../testing/processes.ts'
import { storePassword } from '../users/change-password.ts'
import { loadUser } from '../users/store.ts'
import { changeHashedUser } from '../users/update.ts'
import { openSession } from './open.ts'
import { listSessionsOf } from './store.ts'

let opened: TestContext
beforeAll(async () => {
  opened = await openTestContext()
})
afterAll(() => opened.close())

describe('a password that is changed', () => {
  eachDatabase((db, openAnother) => {
    let other: Database
    let here: RequestContext
    let there: RequestContext
    let known: { user_id: Id; credentials_version: number }
    beforeAll(() => {
      other = openAnother()
    })
    beforeEach(async () => {
      here = await actAs(inProcess(opened, db()), 'owner')
      there = inProcess(here, other)
      const { id, credentials_version } = await loadUser(db(), here.actor.id)
      known = { user_id: id, credentials_version }
    })
    afterAll(() => other.close())

    const change = (ctx: RequestContext, hash: string) => storePassword(ctx, hash, known.credentials_version)
    const hasSessions = async () => (await listSessionsOf(db(), known.user_id, here.now())).length > 0

    test('cannot be changed once more by somebody who knows the old one only', async () => {
      const results = await race(db(), { first: gated => change(gated(here), 'first'), second: () => change(there, 'second') })
      expect(results).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason: { code: 'conflict' } }])
      expect(await loadUser(db(), known.user_id)).toMatchObject({ password_hash: 'first' })
    })

    test('and changed by an owner at the same time gets another version each time', async () => {
      const results = await race(db(), {
        first: gated => change(gated(here), 'first'),
        second: () => changeHashedUser(there, known.user_id, { password_hash: 'second' }),
      })
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
      const credentials_version = known.credentials_version + 2
      expect(await loadUser(db(), known.user_id)).toMatchObject({ password_hash: 'second', credentials_version })
    })

    test('does not let in whoever is signing in with the old one', async () => {
      const results = await race<unknown, unknown>(db(), {
        first: gated => change(gated(here), 'first'),
        second: () => openSession(there, known),
      })
      expect(results).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason: { code: 'unauthenticated' } }])
      expect(await hasSessions()).toBe(false)
    })

    test('ends a session that is just being opened with the old one', async () => {
      const results = await race<unknown, unknown>(db(), {
        first: gated => openSession(gated(here), known),
        second: () => change(there, 'first'),
      })
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
      expect(await hasSessions()).toBe(false)
    })
  })
})
