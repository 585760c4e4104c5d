/** PostgreSQL connection of the bus. */
import pg from 'pg'

const CHANNEL = 'postil_news'
const CONNECT_MS_MAX = 10_000
/** Statements of the bus are fast: one that takes longer than this indicates a lost connection. */
const QUERY_MS_MAX = 10_000

export interface BusConnection {
  notify(payloads: readonly string[]): Promise<void>
  countProcesses(): Promise<number>
  close(): Promise<void>
}

interface Options {
  url: string
  role: string
  onNews(payload: string): void
  /** Called at most once, and not after `close`. */
  onLost(error: Error): void
}

export async function connectBus({ url, role, onNews, onLost }: Options): Promise<BusConnection> {
  const name = `postil ${role} bus`
  const client = new pg.Client({
    connectionString: url,
    application_name: name,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_MS_MAX,
    query_timeout: QUERY_MS_MAX,
  })
  let isOver = true
  const end = (error: Error) => {
    if (isOver) return
    isOver = true
    onLost(error)
  }
  client.on('error', end)
  client.on('end', () => end(new Error('PostgreSQL closed the connection')))
  const close = async () => {
    isOver = true
    // Ignores errors, because a dead connection need not be closed.
    await client.end().catch(() => {})
  }
  try {
    await client.connect()
    client.on('notification', ({ processId, payload = '' }) => {
      if (processId !== processIdOf(client)) onNews(payload)
    })
    await client.query(`listen ${CHANNEL}`)
    isOver = false
  } catch (error) {
    await close()
    throw error
  }
  return {
    notify: async payloads => {
      await client.query('select pg_notify($1, payload) from unnest($2::text[]) as payload', [CHANNEL, payloads])
    },
    countProcesses: async () => {
      const text = `select count(*)::int as processes from pg_stat_activity
        where datname = current_database() and application_name = $1`
      return (await client.query<{ processes: number }>(text, [name])).rows[0]?.processes ?? 1
    },
    close,
  }
}

/** Process id of the server-side connection, which is missing from the types of `pg`. */
const processIdOf = (client: pg.Client): number | null => (client as unknown as { processID: number | null }).processID
