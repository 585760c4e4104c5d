/**
 * Counts for metrics. Each query reads few rows or stops at a limit, so that the cost of a scrape does not grow with the data.
 */
import type { Queryable } from '../../storage/database.ts'

const ROWS_MAX = 10_000

/** Counts jobs of a status up to a limit. Failed jobs are stored for a year. */
export async function countJobs(db: Queryable, status: string): Promise<number> {
  return count(db, 'select 1 as one from jobs where status = ?', [status])
}

export async function countWaitingDeliveries(db: Queryable): Promise<number> {
  return count(db, "select 1 as one from webhook_deliveries where status = 'waiting'")
}

async function count(db: Queryable, rows: string, params: string[] = []): Promise<number> {
  const text = `select count(*) as count from (${rows} limit ${ROWS_MAX}) as counted`
  return (await db.sql.get<{ count: number }>(text, params))?.count ?? 0
}

export async function countWebhooks(db: Queryable): Promise<{ enabled: number; failing: number; paused: number }> {
  const one = (condition: string) => `sum(case when ${condition} then 1 else 0 end)`
  const row = await db.sql.get<{ enabled: number | null; failing: number | null; paused: number | null }>(
    `select ${one('enabled = 1')} as enabled, ${one('failing_since is not null')} as failing,
       ${one('paused_at is not null')} as paused from webhooks`,
  )
  return { enabled: row?.enabled ?? 0, failing: row?.failing ?? 0, paused: row?.paused ?? 0 }
}

interface Connections {
  thread: string
  state: 'active' | 'idle'
  connections: number
}

/** Threads identify themselves to PostgreSQL by application name, such as `postil writer`. SQLite has no connection limit. */
export async function countConnections(db: Queryable): Promise<Connections[]> {
  if (db.dialect.name === 'sqlite') return []
  return db.sql.all<Connections>(
    `select substr(application_name, 8) as thread, case when state = 'idle' then 'idle' else 'active' end as state,
       count(*) as connections
     from pg_stat_activity where datname = current_database() and application_name like 'postil %'
     group by 1, 2 order by 1, 2`,
  )
}
