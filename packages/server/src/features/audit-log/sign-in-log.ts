/**
 * Collects sign-in attempts for the audit log. The thread that checks passwords does not write to the database, and requests do
 * not wait for the log: entries are passed to the writer once a second.
 *
 * Attempts of the same kind, for the same user and from the same address, produce one entry per minute, plus a second entry with
 * the count of the rest. Each kind has at most `KEYS_MAX` such pairs of user and address per minute; attempts beyond that are
 * counted in one entry without user and address. An attack can therefore neither fill the disk nor hide attempts of another kind.
 * Entries collected in the last second are lost if the process is killed.
 */
import { type AuditAction, type AuditDetails, type AuditEntry, targetTypeOf } from '@postil/domain/audit-log'
import type { Id } from '@postil/domain/schema'
import type { Logger } from 'pino'
import type { Context } from '../../context.ts'
import type { Sender } from '../../http/sender.ts'

const FLUSH_MS = 1_000
/** Delay before the next flush after a failed one. */
const RETRY_MS = 10_000
const WINDOW_MS = 60_000
const KEYS_MAX = 100
/** Limit of entries waiting to be stored. While the database cannot be written, further entries are dropped. */
const WAITING_MAX = 1_000

type FailureReason = 'wrong_password' | 'unknown_user' | 'too_many_attempts' | 'deactivated' | 'provider_refused'

export interface Attempt {
  action: Extract<AuditAction, 'user.signed_in' | 'user.sign_in_failed' | 'user.password_change_failed'>
  /** Reason of the failure, or method of a successful sign-in. */
  why: { reason: FailureReason; provider?: string } | { method: 'token' }
  /** Null if there is no such user. */
  user: { id: Id; username: string } | null
  /** True if the caller has proven to be this user. */
  isProven: boolean
  sender: Pick<Sender, 'address' | 'userAgent'>
}

export interface SignInLog {
  add(attempt: Attempt): void
  /** Stores the entries that are due. Rejects if storing fails; the entries then remain queued. */
  flush(): Promise<void>
  /** Stores all remaining entries, for the shutdown of the server. */
  close(): Promise<void>
}

/** No-op log for contexts without sign-ins: worker threads and the command line. */
export const NO_SIGN_IN_LOG: SignInLog = { add: () => {}, flush: async () => {}, close: async () => {} }

interface SignInLogOptions {
  ctx: Pick<Context, 'now' | 'newId'> & { log: Pick<Logger, 'warn'> }
  store(entries: AuditEntry[]): Promise<void>
  nowMs?: () => number
}

interface Window {
  kind: string
  attempt: Attempt
  /** Attempts not covered by an entry yet. */
  uncounted: number
  endsAt: number
}

export function openSignInLog({ ctx, store, nowMs = () => performance.now() }: SignInLogOptions): SignInLog {
  const outbox = createOutbox(ctx.log, store)
  const windows = createWindows(nowMs, (attempt, details) => outbox.add(toEntry(ctx, attempt, details)))
  let timer: NodeJS.Timeout | null = null
  let isClosed = false

  function flush(): Promise<void> {
    windows.end()
    return outbox.flush()
  }

  function plan(ms: number): void {
    if (isClosed) return
    timer ??= setTimeout(() => {
      timer = null
      flush().then(
        () => (windows.size > 0 || outbox.size > 0) && plan(FLUSH_MS),
        error => {
          ctx.log.warn({ err: error }, 'sign-ins were not written to the audit log; this is tried again')
          plan(RETRY_MS)
        },
      )
    }, ms).unref()
  }

  return {
    add: attempt => {
      windows.add(attempt)
      plan(FLUSH_MS)
    },
    flush,
    close: async () => {
      isClosed = true
      if (timer) clearTimeout(timer)
      windows.end({ all: true })
      await flush().catch(error => ctx.log.warn({ err: error }, 'sign-ins were not written to the audit log'))
    },
  }
}

/** Queue of entries waiting to be stored. */
function createOutbox(log: Pick<Logger, 'warn'>, store: SignInLogOptions['store']) {
  let waiting: AuditEntry[] = []
  let dropped = 0
  let flushing: Promise<void> = Promise.resolve()

  function keep(entries: AuditEntry[]): void {
    waiting = entries.slice(0, WAITING_MAX)
    dropped += entries.length - waiting.length
  }

  async function storeWaiting(): Promise<void> {
    const entries = waiting
    if (entries.length === 0) return
    waiting = []
    try {
      await store(entries)
    } catch (error) {
      keep([...entries, ...waiting])
      throw error
    }
    if (dropped > 0) log.warn({ dropped }, 'entries of the audit log were dropped, because the database could not be written')
    dropped = 0
  }

  return {
    get size() {
      return waiting.length
    },
    add: (entry: AuditEntry) => {
      if (waiting.length < WAITING_MAX) waiting.push(entry)
      else dropped++
    },
    /** Runs flushes one after the other, so that entries are stored in order. */
    flush: (): Promise<void> => {
      flushing = flushing.catch(() => {}).then(storeWaiting)
      return flushing
    },
  }
}

/**
 * Counts attempts of the same kind within a minute. Calls `say` for the first attempt, and at the end of the minute with the
 * count of the others.
 */
function createWindows(nowMs: () => number, say: (attempt: Attempt, details: AuditDetails) => void) {
  const windows = new Map<string, Window>()
  const countOf = (kind: string) => [...windows.values()].filter(window => window.kind === kind).length

  function end({ all = false } = {}): void {
    const now = nowMs()
    for (const [key, { attempt, uncounted, endsAt }] of windows) {
      if (!all && now < endsAt) continue
      windows.delete(key)
      if (uncounted > 0) say(attempt, { count: uncounted })
    }
  }

  return {
    end,
    get size() {
      return windows.size
    },
    add: (attempt: Attempt): void => {
      end()
      const kind = `${attempt.action} ${Object.values(attempt.why).join()}`
      const own = `${kind} ${attempt.user?.id ?? ''} ${attempt.sender.address}`
      const isOwn = windows.has(own) || countOf(kind) < KEYS_MAX
      const key = isOwn ? own : kind
      const known = windows.get(key)
      if (known) {
        known.uncounted++
        return
      }
      const endsAt = nowMs() + WINDOW_MS
      // The window for the remaining attempts has an empty kind, so that it does not count towards `KEYS_MAX`.
      windows.set(key, { kind: isOwn ? kind : '', attempt: isOwn ? attempt : toRest(attempt), uncounted: isOwn ? 0 : 1, endsAt })
      if (isOwn) say(attempt, {})
    },
  }
}

const toRest = (attempt: Attempt): Attempt => ({
  ...attempt,
  user: null,
  isProven: false,
  sender: { address: '', userAgent: null },
})

function toEntry(ctx: Pick<Context, 'now' | 'newId'>, attempt: Attempt, details: AuditDetails): AuditEntry {
  const { action, why, user, isProven, sender } = attempt
  return {
    id: ctx.newId(),
    action,
    actor: isProven ? user : null,
    target: user && { type: targetTypeOf(action), id: user.id, name: user.username },
    workspace_id: null,
    address: sender.address === '' ? null : sender.address,
    details: { ...why, ...details, ...(sender.userAgent === null ? {} : { user_agent: sender.userAgent }) },
    inserted_at: ctx.now(),
  }
}
