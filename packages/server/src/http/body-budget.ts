/**
 * Limits the memory of all request bodies together, from their first byte until they are answered.
 *
 * There are three budgets: small bodies, large bodies (records), and bodies of unauthenticated requests. In the first two
 * every user has a share, so that the unfinished uploads of one person neither fill the memory nor keep others out.
 */
import { type DomainError, RetryLater } from '@postil/domain/errors'

const MIB = 1_048_576
const SMALL = { totalBytes: 128 * MIB, shareBytes: 16 * MIB }
const LARGE_TOTAL_MIN = 256 * MIB
const ANONYMOUS = { totalBytes: 16 * MIB }
const RETRY_SECONDS = 5

export interface BodyBudgets {
  /** Opens the account of one body. `userId` is null for unauthenticated requests. */
  open(body: { userId: string | null; isLarge: boolean }): BodyAccount
}

/** One body of the largest size always fits into a share. */
export function openBodyBudgets(bodyLimitBytes: number): BodyBudgets {
  const largeBytes = Math.max(LARGE_TOTAL_MIN, 2 * bodyLimitBytes)
  const small = new BodyBudget(SMALL)
  const large = new BodyBudget({ totalBytes: largeBytes, shareBytes: largeBytes / 2 })
  const anonymous = new BodyBudget(ANONYMOUS)
  return {
    open: ({ userId, isLarge }) => (userId === null ? anonymous.open('') : (isLarge ? large : small).open(userId)),
  }
}

interface Limits {
  totalBytes: number
  /** Of each user. Without it, all bodies compete: the oldest unfinished body makes room for newer ones. */
  shareBytes?: number
}

export class BodyBudget {
  readonly #limits: Limits
  readonly #usedBy = new Map<string, number>()
  /** Oldest first. */
  readonly #unfinished = new Set<BodyAccount>()
  #used = 0

  constructor(limits: Limits) {
    this.#limits = limits
  }

  get usedBytes(): number {
    return this.#used
  }

  open(owner: string): BodyAccount {
    const account = new BodyAccount({
      take: bytes => this.#take(account, owner, bytes),
      giveBack: bytes => this.#giveBack(owner, bytes),
      settle: () => void this.#unfinished.delete(account),
    })
    this.#unfinished.add(account)
    return account
  }

  #take(account: BodyAccount, owner: string, bytes: number): void {
    const { totalBytes, shareBytes } = this.#limits
    const ofOwner = (this.#usedBy.get(owner) ?? 0) + bytes
    if (shareBytes !== undefined && ofOwner > shareBytes) throw shareUsedUp(shareBytes)
    while (this.#used + bytes > totalBytes) this.#makeRoom(account)
    this.#used += bytes
    this.#usedBy.set(owner, (this.#usedBy.get(owner) ?? 0) + bytes)
  }

  /**
   * Somebody who sends bodies slowly and never finishes them must not keep others from signing in, and unauthenticated
   * requests have no owner to tell them apart: whoever takes longest is refused first.
   */
  #makeRoom(account: BodyAccount): void {
    const [oldest] = this.#unfinished
    if (this.#limits.shareBytes !== undefined || oldest === undefined || oldest === account) throw budgetUsedUp()
    oldest.release()
    oldest.onEvicted(budgetUsedUp())
  }

  #giveBack(owner: string, bytes: number): void {
    this.#used -= bytes
    const left = (this.#usedBy.get(owner) ?? 0) - bytes
    if (left > 0) this.#usedBy.set(owner, left)
    else this.#usedBy.delete(owner)
  }
}

interface AccountActions {
  take(bytes: number): void
  giveBack(bytes: number): void
  settle(): void
}

/** The memory of one body. */
export class BodyAccount {
  /** Called when an unfinished body is refused because newer ones need its place. */
  onEvicted: (error: DomainError) => void = () => {}
  readonly #actions: AccountActions
  #bytes = 0

  constructor(actions: AccountActions) {
    this.#actions = actions
  }

  /** Counts more bytes, or throws when there is no room for them. */
  take(bytes: number): void {
    this.#actions.take(bytes)
    this.#bytes += bytes
  }

  /** The body is complete: it is answered now, and is not evicted. */
  finish(): void {
    this.#actions.settle()
  }

  /** The memory is free again. May be called twice. */
  release(): void {
    this.#actions.settle()
    this.#actions.giveBack(this.#bytes)
    this.#bytes = 0
  }
}

const shareUsedUp = (bytes: number) =>
  new RetryLater(
    'too_many_attempts',
    `Your requests that are being received or answered have bodies of ${bytes} bytes together, which is all that one user may have. Wait for some of them, then send this one again.`,
    RETRY_SECONDS,
  )

const budgetUsedUp = () =>
  new RetryLater('unavailable', 'The server receives too many request bodies at once. Try again in a moment.', RETRY_SECONDS)
