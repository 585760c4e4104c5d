/**
 * Limits the total memory of request bodies, from their first byte until the response.
 *
 * There are three budgets: small bodies, large bodies (records), and bodies of unauthenticated requests. In the first two every
 * user has a share, so that the unfinished uploads of one user cannot use up the memory or block other users.
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

/** The share of a user is large enough for one body of the maximum size. */
export function createBodyBudgets(bodyLimitBytes: number): BodyBudgets {
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
  /** Limit per user. Without it, all bodies compete: the oldest unfinished body is evicted for newer ones. */
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
   * Evicts the oldest unfinished body. Unauthenticated requests have no owner, so this keeps a client that sends many slow bodies
   * from blocking sign-ins.
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

/** Tracks the memory of one body. */
export class BodyAccount {
  /** Called when an unfinished body is evicted in favour of newer ones. */
  onEvicted: (error: DomainError) => void = () => {}
  readonly #actions: AccountActions
  #bytes = 0

  constructor(actions: AccountActions) {
    this.#actions = actions
  }

  /** Reserves more bytes, or throws if the budget is used up. */
  take(bytes: number): void {
    this.#actions.take(bytes)
    this.#bytes += bytes
  }

  /** Marks the body as complete: it is being processed and cannot be evicted. */
  finish(): void {
    this.#actions.settle()
  }

  /** Frees the memory. Calling it twice is safe. */
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
