import type { AuditEntry } from '@postil/domain/audit-log'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RequestContext } from '../../context.ts'
import { createAuditPruner } from '../../jobs/prune-audit-log.ts'
import { later } from '../../lib/clock.ts'
import { write } from '../../storage/write.ts'
import { actAs, openTestContext, TEST_SENDER, type TestContext } from '../../testing/context.ts'
import { eachDatabase } from '../../testing/databases.ts'
import { audit } from './add.ts'
import { listAuditLog } from './list.ts'
import { type AuditFilter, insertAuditEntries, toAuditQuery } from './store.ts'

const DAY_SECONDS = 86_400
const [ADA, BEA, SPACE] = ['a', 'b', 'c'].map(letter => `${letter.repeat(8)}-0000-4000-8000-000000000000`) as [
  string,
  string,
  string,
]

let opened: TestContext
beforeAll(async () => {
  opened = await openTestContext({ SERVICE_AUDIT_LOG_SECONDS: String(2 * DAY_SECONDS) })
})
afterAll(() => opened.close())

const ownerOf = (ctx: TestContext): RequestContext => ({
  ...ctx,
  actor: { id: ADA, username: 'ada', role: 'owner', workspace_ids: [] },
  requestId: 'test',
  sender: { ...TEST_SENDER, address: '192.0.2.7' },
})

let made = 0
const anEntry = (given: Partial<AuditEntry> = {}): AuditEntry => ({
  id: opened.newId(),
  action: 'user.updated',
  actor: { id: ADA, username: 'ada' },
  target: { type: 'user', id: BEA, name: 'bea' },
  workspace_id: null,
  address: null,
  details: { made: ++made },
  inserted_at: opened.now(),
  ...given,
})

describe('the audit log', () => {
  eachDatabase(db => {
    let owner: RequestContext
    beforeAll(() => {
      owner = ownerOf({ ...opened, db: db() })
    })
    const list = async (query = {}) => (await listAuditLog(owner, query)).items
    const listMade = async (query: object) => (await list({ limit: 500, ...query })).map(({ details }) => details.made)

    test('holds who did what to what, and from where', async () => {
      await write(owner, tx =>
        audit(tx, owner, {
          action: 'workspace.created',
          target: { id: SPACE, name: 'a\u0000\u001b[31mb' },
          workspaceId: SPACE,
          details: { name: 'a\u0000b' },
        }),
      )
      const [entry] = await list({ action: ['workspace.created'] })
      expect(entry).toEqual({
        id: expect.any(String),
        action: 'workspace.created',
        actor: { id: ADA, username: 'ada' },
        target: { type: 'workspace', id: SPACE, name: 'a\ufffd\u001b[31mb' },
        workspace_id: SPACE,
        address: '192.0.2.7',
        details: { name: 'a\u0000b' },
        inserted_at: expect.any(String),
      })
    })

    test('has no entry of a change that was undone', async () => {
      const change = write(owner, async tx => {
        await audit(tx, owner, { action: 'dataset.deleted', details: {} })
        throw new Error('undone')
      })
      await expect(change).rejects.toThrow('undone')
      expect(await list({ action: ['dataset.deleted'] })).toEqual([])
    })

    test('is filtered by action, actor, target and time, in pages, newest first', async () => {
      made = 0
      const other = { actor: { id: BEA, username: 'bea' } }
      await insertAuditEntries(db(), [
        anEntry({ inserted_at: '2026-01-01T00:00:00.000001' }),
        anEntry({ inserted_at: '2026-01-02T00:00:00.000001', action: 'user.created', ...other }),
        anEntry({ inserted_at: '2026-01-02T23:59:59.999999', action: 'user.deleted' }),
        // Two entries with the same time, from two processes: the row that was inserted later counts as newer.
        anEntry({ inserted_at: '2026-01-03T00:00:00.000001', action: 'user.created' }),
        anEntry({
          inserted_at: '2026-01-03T00:00:00.000001',
          action: 'dataset.created',
          target: { type: 'dataset', id: SPACE, name: 'd' },
        }),
        anEntry({ inserted_at: '2026-01-04T00:00:00.000001', action: 'user.sign_in_failed', actor: null, target: null }),
      ])
      const within = { since: '2026-01-01', until: '2026-01-04' }
      const cases: [query: object, expected: number[]][] = [
        [{}, [6, 5, 4, 3, 2, 1]],
        [{ since: '2026-01-02', until: '2026-01-02' }, [3, 2]],
        [{ until: '2026-01-02T00:00:00' }, [2, 1]],
        [{ action: ['user.created'] }, [4, 2]],
        [{ action: ['user.deleted', 'user.created', 'user.created'] }, [4, 3, 2]],
        [{ actor_id: BEA }, [2]],
        [{ actor_id: ADA, action: ['user.created', 'user.updated'] }, [4, 1]],
        [{ target_id: BEA }, [4, 3, 2, 1]],
        [{ target_id: BEA, action: ['user.created', 'user.deleted'], actor_id: ADA }, [4, 3]],
        [{ target_type: 'dataset' }, [5]],
        // Entries without a target have no target type and do not match.
        [{ target_type: 'user' }, [4, 3, 2, 1]],
        [{ target_type: 'user', action: ['dataset.created'] }, []],
      ]
      for (const [query, expected] of cases) {
        expect({ query, found: await listMade({ ...within, ...query }) }).toEqual({ query, found: expected })
        expect(await listPages({ ...within, ...query })).toEqual(expected)
      }
    })

    /** Reads the same list in pages of one entry. */
    async function listPages(query: object): Promise<unknown[]> {
      const found: unknown[] = []
      let before: string | null = null
      do {
        const page = await listAuditLog(owner, { ...query, limit: 1, ...(before === null ? {} : { before }) })
        found.push(...page.items.map(({ details }) => details.made))
        before = page.next
      } while (before !== null)
      return found
    }

    test.each([
      [{ before: 'x' }, '`before` must be the value of `next`'],
      [{ since: 'yesterday' }, '`yesterday` is not a date'],
      [{ until: '2026-02-30' }, '`2026-02-30` is not a date'],
    ])('refuses %j', async (query, message) => {
      await expect(listAuditLog(owner, query)).rejects.toThrow(message)
    })

    test('cannot be changed, and only what is older than the retention period can be deleted', async () => {
      const refused = /cannot be changed, nor deleted/
      await insertAuditEntries(db(), [anEntry({ id: 'kept' })])
      await expect(db().sql.run("update audit_entries set actor_name = 'x'")).rejects.toThrow(refused)
      await expect(db().sql.run('update audit_entries set no = no + 1000')).rejects.toThrow(refused)
      await expect(db().sql.run("delete from audit_entries where id = 'kept'")).rejects.toThrow(refused)
      await expect(db().sql.run("delete from audit_entries where inserted_at < '2026-01-02'")).rejects.toThrow(refused)
      if (db().dialect.name === 'postgres') await expect(db().sql.run('truncate audit_entries')).rejects.toThrow(refused)
      expect(await db().sql.all("select actor_name from audit_entries where id = 'kept'")).toEqual([{ actor_name: 'ada' }])
    })

    test('is pruned of what is older, in pieces, once an hour', async () => {
      const count = async () => Number((await db().sql.get<{ n: number }>('select count(*) as n from audit_entries'))?.n)
      let nowMs = 0
      const pruner = createAuditPruner(owner, () => nowMs)
      const old = later(opened.now(), -3 * DAY_SECONDS)
      while (await pruner.step());
      const before = await count()
      nowMs += 3_600_000
      await insertAuditEntries(
        db(),
        Array.from({ length: 1_100 }, () => anEntry({ inserted_at: old })),
      )
      await insertAuditEntries(db(), [anEntry({ inserted_at: later(opened.now(), -DAY_SECONDS) })])
      expect([await pruner.step(), await pruner.step(), await pruner.step(), await pruner.step()]).toEqual([
        true,
        true,
        false,
        false,
      ])
      expect(await count()).toBe(before + 1)

      await insertAuditEntries(db(), [anEntry({ inserted_at: old })])
      nowMs += 3_599_999
      await pruner.step()
      expect(await count()).toBe(before + 2)
      nowMs += 1
      await pruner.step()
      expect(await count()).toBe(before + 1)
      // Younger entries still cannot be deleted.
      await expect(db().sql.run('delete from audit_entries')).rejects.toThrow(/cannot be changed, nor deleted/)
    })

    test('is kept for ever with 0', async () => {
      await insertAuditEntries(db(), [anEntry({ id: 'ancient', inserted_at: '1999-01-01T00:00:00.000001' })])
      const forEver = { ...owner, config: { ...owner.config, auditLogSeconds: 0 } }
      expect(await createAuditPruner(forEver).step()).toBe(false)
      expect(await list({ until: '2000' })).toMatchObject([{ id: 'ancient' }])
    })
  })
})

test('a page is a walk along one index, without sorting, whatever is asked for', async () => {
  const range = { since: '2026-01-01', until: '2027-01-01', before: { inserted_at: '2026-06-01', no: 5 } }
  const cases: [filter: AuditFilter, index: string][] = [
    [{ actions: null }, 'audit_entries_time'],
    [{ actions: null, ...range }, 'audit_entries_time'],
    [{ actions: ['user.created'] }, 'audit_entries_action'],
    [{ actions: ['user.created'], ...range }, 'audit_entries_action'],
    [{ actions: null, actorId: ADA, ...range }, 'audit_entries_actor'],
    [{ actions: ['user.created'], actorId: ADA, ...range }, 'audit_entries_actor_action'],
    [{ actions: ['user.created', 'user.deleted'], targetId: BEA, ...range }, 'audit_entries_target'],
  ]
  for (const [filter, index] of cases) {
    const { text, params } = toAuditQuery(opened.db.dialect, filter, 50)
    const plan = await opened.db.sql.all<{ detail: string }>(`explain query plan ${text}`, params)
    const [step, ...rest] = plan.map(({ detail }) => detail)
    expect({ filter, step, rest }).toEqual({
      filter,
      step: expect.stringMatching(new RegExp(`USING INDEX ${index}( |$)`)),
      rest: [],
    })
  }
})

test('several actions are read from their own ends of the index, a page of each', async () => {
  const { text, params } = toAuditQuery(opened.db.dialect, { actions: ['user.created', 'user.deleted'], since: '2026-01-01' }, 50)
  const plan = (await opened.db.sql.all<{ detail: string }>(`explain query plan ${text}`, params)).map(({ detail }) => detail)
  expect(plan.filter(detail => detail.includes('audit_entries'))).toEqual(
    Array(2).fill(expect.stringMatching(/^SEARCH audit_entries USING INDEX audit_entries_action /)),
  )
  expect(text.match(/limit \?/g)).toHaveLength(3)
})

test.each(['admin', 'annotator'] as const)('is not for an %s', async role => {
  await expect(listAuditLog(await actAs(opened, role), {})).rejects.toMatchObject({ code: 'forbidden' })
})
