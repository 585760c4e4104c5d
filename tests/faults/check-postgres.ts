/** Checks of a PostgreSQL database and its index after a fault. */
import { runOn } from '@postil/server/testing/postgres-server'
import { expect } from 'vitest'
import { postil } from '../postil.ts'
import type { StartedServer } from '../server.ts'

/** Query for violating rows, by rule. Logs are not pruned during tests. */
const RULES = {
  'the change log has no gaps': `select h.dataset_id, h.change_no, count(c.change_no) as entries, max(c.change_no) as last
    from dataset_heads h left join changes c on c.dataset_id = h.dataset_id group by h.dataset_id, h.change_no
    having count(c.change_no) <> h.change_no or coalesce(max(c.change_no), 0) <> h.change_no or coalesce(min(c.change_no), 1) <> 1`,
  'kept totals equal what is stored': `select * from (
      select h.dataset_id, h.records_count, h.completed_count,
        (select count(*) from records r where r.dataset_no = h.no) as records,
        (select count(*) from records r where r.dataset_no = h.no and r.status = 'completed') as completed
      from dataset_heads h join datasets d on d.id = h.dataset_id) totals
    where records_count <> records or completed_count <> completed`,
  'the status of records follows from their responses': `select r.no, r.status from records r
    join dataset_heads h on h.no = r.dataset_no join datasets d on d.id = h.dataset_id
    where (r.status = 'completed') <> ((d.distribution::json->>'min_submitted')::int <=
      (select count(*) from responses s where s.record_no = r.no and s.status = 'submitted'))`,
  'one response for each user and record':
    'select record_no, user_id from responses group by record_no, user_id having count(*) > 1',
  'external ids are unique': `select dataset_no, external_id from records where external_id is not null
    group by dataset_no, external_id having count(*) > 1`,
  'versions of a response have no gaps': `select record_no, user_id from response_history group by record_no, user_id
    having count(*) <> max(version) - min(version) + 1`,
}

export async function expectRules(databaseUrl: string): Promise<void> {
  for (const [rule, text] of Object.entries(RULES)) {
    expect(await runOn(databaseUrl, `select * from (${text}) broken limit 5`), `rows that break the rule: ${rule}`).toEqual([])
  }
}

/** Expects the operator's command to report that the index matches the database. */
export function expectVerified(env: StartedServer['env']): void {
  const { status, stdout, stderr } = postil(['server', 'search-engine', 'verify'], env)
  expect({ status, differences: stdout.match(/^ {2}- .+$/gm) ?? [] }, stdout + stderr).toEqual({ status: 0, differences: [] })
}
