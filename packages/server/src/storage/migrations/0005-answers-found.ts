/**
 * Makes span labels, options ranked first and text answers filterable. For stored answers, a job does so for each dataset that
 * has such a question.
 */
import type { Queryable } from '../database.ts'

const TYPES = ['span', 'ranking', 'text']
const JOB = 'reindex-answers'

interface Question {
  no: number
  dataset_id: string
  settings: string
}

async function listQuestions(db: Queryable): Promise<Question[]> {
  const rows = await db.sql.all<Question>('select no, dataset_id, settings from questions order by no')
  return rows.filter(row => TYPES.includes((JSON.parse(row.settings) as { type: string }).type))
}

export async function up(db: Queryable): Promise<void> {
  const now = `${new Date().toISOString().slice(0, -1)}000`
  const datasetIds = new Set((await listQuestions(db)).map(question => question.dataset_id))
  for (const id of datasetIds) {
    await db.sql.run(
      `insert into jobs (id, name, payload, status, attempts, run_at, inserted_at, updated_at)
       values (?, '${JOB}', ?, 'queued', 0, ?, ?, ?)`,
      [`${JOB}-${id}`, JSON.stringify({ dataset_id: id, after: 0 }), now, now, now],
    )
  }
}

export async function down(db: Queryable): Promise<void> {
  await db.sql.run(`delete from jobs where name = '${JOB}'`)
  for (const { no } of await listQuestions(db)) {
    await db.sql.run('delete from suggestion_terms where question_no = ?', [no])
    await db.sql.run('delete from response_terms where question_no = ?', [no])
  }
}
