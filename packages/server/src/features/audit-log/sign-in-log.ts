/**
 * Collects attempts at passwords for the audit log. The thread that checks passwords does not write, and nobody waits for it: entries are
 * handed to the writer once a second.
 *
 * Attempts of the same kind, for the same user and from the same address make one entry in a minute and a second one with the count of the
 * others. There are at most `KEYS_MAX` such pairs of each kind in a minute; what is beyond is counted in one entry without user and address. So an
 * attack can neither fill the disk nor hide attempts of another kind. What was collected in the last second is lost if the process is killed.
 */
import { type AuditAction, type AuditDetails, type AuditEntry, targetTypeOf } from '@postil/domain/audit-log'
import type { Id } from '@postil/domain/schema'
import type { Logger } from 'pino'
import type { Context } from '../../context.ts'
import type { Sender } from '../../http/sender.ts'

const FLUSH_MS = 1_000
/** After a failure. */
const RETRY_MS = 10_000
const WINDOW_MS = 60_000
const KEYS_MAX = 100
/** Entries that wait to be stored; beyond, while the database cannot be written, they are dropped. */
const WAITING_MAX = 1_000

export type FailureReason = 'wrong_password' | 'unknown_user' | 'too_many_attempts' | 'deactivated' | 'provider_refused'

export interface Attempt {
  action: Extract<AuditAction, 'user.signed_in' | 'user.sign_in_failed' | 'user.password_change_failed'>
  /** Why it failed, or how it was made. */
  why: { reason: FailureReason; provider?: string } | { method: 'token' }
  /** Null if there is no such user. */
  user: { id: Id; username: string } | null
  /** Whether the caller is this user. */
  isProven: boolean
  sender: Pick<Sender, 'address' | 'userAgent'>
}

export interface SignInLog {
  add(attempt: Attempt): void
  /** Stores what is due. Rejects if it could not be stored; it is kept then. */
  flush(): Promise<void>
  /** Stores everything: the server stops. */
  close(): Promise<void>
}

/** For contexts in which nobody signs in: of worker threads and the command line. */
export const NO_SIGN_IN_LOG: SignInLog = { add: () => {}, flush: async () => {}, close: async () => {} }

interface SignInLogOptions {
  ctx: Pick<Context, 'now' | 'newId'> & { log: Pick<Logger, 'warn'> }
  store(entries: AuditEntry[]): Promise<void>
  nowMs?: () => number
}

interface Window {
  kind: string
  attempt: Attempt
  /** Attempts that have no entry yet. */
  uncounted: number
  endsAt: number
}

export function openSignInLog({ ctx, store, nowMs = () => performance.now() }: SignInLogOptions): SignInLog {
  const outbox = openOutbox(ctx.log, store)
  const windows = openWindows(nowMs, (attempt, details) => outbox.add(toEntry(ctx, attempt, details)))
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

/** Entries that wait to be stored. */
function openOutbox(log: Pick<Logger, 'warn'>, store: SignInLogOptions['store']) {
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
    /** One after the other, so that entries are stored in their order. */
    flush: (): Promise<void> => {
      flushing = flushing.catch(() => {}).then(storeWaiting)
      return flushing
    },
  }
}

/** Counts attempts of the same kind within a minute; `say` is called for the first, and for the count of the others when it is over. */
function openWindows(nowMs: () => number, say: (attempt: Attempt, details: AuditDetails) => void) {
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
      // The rest is not counted among the pairs.
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
