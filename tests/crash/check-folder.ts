/** Checks of a data folder right after a kill, before a server starts on it again, or of a copy of it. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'vitest'
import { postil } from '../postil.ts'
import { verifyCopy } from './open-copy.ts'

/** Query for violating rows, by rule. These hold at every revision of the schema. */
const RULES_OF_SQLITE = {
  'the file is intact': "select integrity_check from pragma_integrity_check where integrity_check <> 'ok'",
  'rows refer to rows that exist': 'select * from pragma_foreign_key_check',
}

/** Rules at the newest revision. Logs are not pruned during tests. */
const RULES_OF_CONTENT = {
  'the change log has no gaps': `select h.dataset_id, h.change_no, count(c.change_no) as entries, max(c.change_no) as last
    from dataset_heads h left join changes c on c.dataset_id = h.dataset_id group by h.dataset_id
    having entries <> h.change_no or coalesce(last, 0) <> h.change_no or coalesce(min(c.change_no), 1) <> 1`,
  'every log has a head':
    'select dataset_id, change_no from changes where dataset_id not in (select dataset_id from dataset_heads)',
  'kept totals equal what is stored': `select * from (
      select h.dataset_id, h.records_count, h.completed_count,
        (select count(*) from records r where r.dataset_no = h.no) as records,
        (select count(*) from records r where r.dataset_no = h.no and r.status = 'completed') as completed
      from dataset_heads h join datasets d on d.id = h.dataset_id)
    where records_count <> records or completed_count <> completed`,
  'the status of records follows from their responses': `select r.no, r.status from records r
    join dataset_heads h on h.no = r.dataset_no join datasets d on d.id = h.dataset_id
    where (r.status = 'completed') <> (json_extract(d.distribution, '$.min_submitted') <=
      (select count(*) from responses s where s.record_no = r.no and s.status = 'submitted'))`,
  'versions of a response have no gaps': `select record_no, user_id from response_history group by record_no, user_id
    having count(*) <> max(version) - min(version) + 1`,
  'a bulk job has done what is not left to do': `select * from (
      select j.id, j.total, j.done, j.failed,
        (select coalesce(sum(json_array_length(p.record_ids)), 0) from bulk_job_pieces p where p.job_id = j.id) as waiting,
        (select count(*) from response_history v where v.job_id = j.id) as replaced
      from bulk_jobs j where j.status in ('queued', 'started', 'finished'))
    where done + failed + waiting <> total or replaced <> done`,
  'segments have numbers of the log': `select s.dataset_id, s.segment_no from text_segments s
    left join dataset_heads h on h.dataset_id = s.dataset_id where s.segment_no > coalesce(h.change_no, 0)`,
}

/** Read-only, so that the next start finds the write-ahead log unchanged after the kill. */
export function withDatabase<T>(home: string, work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(join(home, 'postil.db'), { readOnly: true, timeout: 10_000 })
  try {
    return work(database)
  } finally {
    database.close()
  }
}

/** Returns the first column of the first row. */
export const readNumber = (home: string, text: string): number =>
  withDatabase(home, database => Number(Object.values(database.prepare(text).get() ?? {})[0]))

function expectRules(home: string, rules: Record<string, string>): void {
  withDatabase(home, database => {
    for (const [rule, text] of Object.entries(rules)) {
      expect(database.prepare(`select * from (${text}) limit 5`).all(), `rows that break the rule: ${rule}`).toEqual([])
    }
  })
}

export const expectIntact = (home: string): void => expectRules(home, RULES_OF_SQLITE)

export function checkRows(home: string): void {
  expectIntact(home)
  expectRules(home, RULES_OF_CONTENT)
}

/** Checks the rules above, and that the index matches the stored records. */
export function checkFolder(home: string): void {
  checkRows(home)
  const { compared, ...found } = verify(home)
  expect(found).toEqual({ status: 0, differences: [], stderr: '' })
  expect(compared, 'records that verify compared').toBe(readNumber(home, 'select count(*) from records'))
}

/** Checks the same without a process of its own. Not for the folder of a server: reading may write to its log. */
export async function checkCopy(home: string): Promise<void> {
  checkRows(home)
  expect(await verifyCopy(home)).toEqual({
    differences: [],
    compared: readNumber(home, 'select count(*) from records'),
  })
}

/** Runs the operator's command. `compared` is the number of records in all datasets. */
export function verify(home: string) {
  const { status, stdout, stderr } = postil(['server', 'search-engine', 'verify'], { SERVICE_HOME_PATH: home })
  const lines = [...stdout.matchAll(/: (\d+) records compared, (?:all equal|different)\.$/gm)]
  const compared = lines.reduce((sum, line) => sum + Number(line[1]), 0)
  const differences = [...stdout.matchAll(/^ {2}- (.+)$/gm)].map(line => line[1])
  return { status, compared, differences, stderr }
}
