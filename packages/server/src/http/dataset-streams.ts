/**
 * All open event streams of one dataset. Changes are read from the dataset's log once for all streams. Progress is also read
 * once, and the metrics of all their users in one batch, at most once a second. Before anything is sent, the credentials and
 * permissions of each reader are checked again: a stream ends if its reader may no longer read the dataset.
 */
import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { canReadDataset } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { Context } from '../context.ts'
import type { DatasetWatch } from '../events/dataset-watch.ts'
import type { Notice } from '../events/emit.ts'
import { type LiveChanges, type LiveOfUsers, readLiveChanges, readLiveOfUsers } from '../features/datasets/live-read.ts'
import { type SupervisedTask, supervise } from '../lib/supervise.ts'
import type { Dispatch } from './app.ts'
import { continueCall, type InnerCall, toInnerCall } from './call.ts'
import type { EventConnection } from './event-connection.ts'

const REFRESH_MS = 1_000
/** If more notices are pending, they are replaced by one that tells readers to reload everything. */
const PENDING_MAX = 1_000
/** Batch size of permission checks, after which the thread does other work. */
const CHECK_BATCH_SIZE = 20

interface FollowedDataset {
  id: Id
  workspace_id: Id
  /** Log position after which changes are sent. */
  change_no: number
}

export class DatasetStreams {
  readonly #ctx: Context
  readonly #dispatch: Dispatch
  readonly #connections = new Set<EventConnection>()
  readonly #refreshing: SupervisedTask<void>
  /** Permissions depend on the workspace, which never changes, so they can be checked after the dataset was deleted too. */
  readonly #dataset: FollowedDataset
  readonly #following: SupervisedTask<void>
  #unfollow: () => void = () => {}
  /** `#head` is the newest log entry, `#read` the last one that was read. */
  #head: number
  #read: number
  #isReading = false
  #pending: Notice[] = []
  #isDelivering = false
  #refreshedAt = performance.now()
  /** Set while a refresh is scheduled or running. */
  #timer: NodeJS.Timeout | null = null
  #isStale = false

  constructor(ctx: Context, dispatch: Dispatch, dataset: FollowedDataset) {
    this.#ctx = ctx
    this.#dispatch = dispatch
    this.#dataset = dataset
    this.#head = dataset.change_no
    this.#read = dataset.change_no
    this.#following = supervise(() => this.#readLog(), { name: 'event streams', log: ctx.log })
    this.#refreshing = supervise(() => this.#readAndSend(), { name: 'event streams', log: ctx.log })
  }

  get connections(): ReadonlySet<EventConnection> {
    return this.#connections
  }

  /** Follows the dataset until `close`. */
  follow(watch: DatasetWatch): void {
    this.#unfollow = watch.follow(this.#dataset.id, {
      onHead: changeNo => this.#onHead(changeNo),
      onNotices: notices => this.notify(notices),
    })
  }

  close(): void {
    this.#unfollow()
  }

  #onHead(changeNo: number): void {
    if (changeNo > this.#head) {
      this.#head = changeNo
      this.refresh()
    }
    // Also retries after a failure: the watch reports the same number again a second later.
    if (this.#head > this.#read && !this.#isReading) void this.#follow()
  }

  async #follow(): Promise<void> {
    this.#isReading = true
    const done = await this.#following.step()
    this.#isReading = false
    // Handles changes that arrived during the last read.
    if (done !== null && this.#connections.size > 0) this.#onHead(this.#head)
  }

  /** Sends the log entries that were not read yet. */
  async #readLog(): Promise<void> {
    while (this.#head > this.#read) {
      const [first] = this.#connections
      if (!first) return
      const body = { dataset_id: this.#dataset.id, after: this.#read }
      const changes = await this.#find<LiveChanges>(first, toInnerCall(readLiveChanges, body))
      // The log of a deleted dataset is empty.
      if (changes === null || changes.next <= this.#read) this.#read = this.#head
      else {
        this.#read = changes.next
        this.notify(changes.notices)
      }
    }
  }

  /** Returns null if the dataset does not exist. */
  async #find<T>(connection: EventConnection, inner: InnerCall): Promise<T | null> {
    const call = continueCall(connection.call, inner)
    const reply = await this.#dispatch(inner.route, { ...call, actor: null, requestId: randomUUID() })
    if (reply.status === 404) return null
    if (reply.status !== 200)
      throw new Error(`${inner.route.id} of dataset ${this.#dataset.id} was answered with ${reply.status}`)
    return JSON.parse(new TextDecoder().decode(reply.body ?? undefined))
  }

  add(connection: EventConnection): void {
    this.#connections.add(connection)
    // Sends changes between the connection's first state and its registration here.
    this.refresh()
  }

  /** Returns true if the connection was registered. */
  remove(connection: EventConnection): boolean {
    const wasThere = this.#connections.delete(connection)
    if (this.#connections.size === 0) clearTimeout(this.#timer ?? undefined)
    return wasThere
  }

  notify(notices: readonly Notice[]): void {
    this.#pending.push(...notices)
    if (this.#pending.length > PENDING_MAX) this.#pending = this.#collapse(this.#pending)
    if (!this.#isDelivering) void this.#deliver()
  }

  /** Keeps connections alive, and ends those whose reader lost permission while nothing changed. */
  beat(): void {
    for (const connection of this.#connections) connection.beat()
    this.refresh()
  }

  /** Schedules a refresh, at most once a second. */
  refresh(): void {
    if (this.#timer !== null) {
      this.#isStale = true
      return
    }
    const waitMs = Math.max(0, this.#refreshedAt + REFRESH_MS - performance.now(), this.#refreshing.waitMs())
    this.#timer = setTimeout(() => void this.#refreshNow(), waitMs)
  }

  async #refreshNow(): Promise<void> {
    this.#isStale = false
    this.#refreshedAt = performance.now()
    const done = await this.#refreshing.step()
    this.#timer = null
    if ((done === null || this.#isStale) && this.#connections.size > 0) this.refresh()
  }

  async #readAndSend(): Promise<void> {
    const [first] = this.#connections
    if (!first) return
    const userIds = new Set(Array.from(this.#connections, connection => connection.userId))
    const body = { dataset_id: this.#dataset.id, user_ids: [...userIds] }
    const state = await this.#find<LiveOfUsers>(first, toInnerCall(readLiveOfUsers, body))
    if (state === null) return this.notify([{ name: 'dataset-deleted', dataset_id: this.#dataset.id, user_id: null, data: {} }])
    const { progress, metrics } = state
    const texts = new Map(Object.entries(metrics).map(([userId, own]) => [userId, JSON.stringify({ progress, metrics: own })]))
    await this.#sendTo([...this.#connections], connection => {
      const text = texts.get(connection.userId)
      if (text !== undefined) connection.sendState(text)
      // The connection was added while the state was read.
      else this.#isStale = true
    })
  }

  async #deliver(): Promise<void> {
    this.#isDelivering = true
    while (this.#pending.length > 0) {
      const notices = this.#pending.splice(0).map(({ name, user_id, data }) => ({ name, user_id, text: JSON.stringify(data) }))
      const toAll = notices.some(({ user_id }) => user_id === null)
      const addressed = new Set(notices.map(({ user_id }) => user_id))
      const receivers = [...this.#connections].filter(({ userId }) => toAll || addressed.has(userId))
      await this.#sendTo(receivers, connection => {
        for (const { name, user_id, text } of notices) {
          if (user_id === null || user_id === connection.userId) connection.send(name, text)
          if (name === 'dataset-deleted') connection.end()
        }
      })
    }
    this.#isDelivering = false
  }

  /** Sends in small batches, so that requests are handled in between: checking a thousand readers takes tens of milliseconds. */
  async #sendTo(connections: readonly EventConnection[], send: (connection: EventConnection) => void): Promise<void> {
    for (let first = 0; first < connections.length; first += CHECK_BATCH_SIZE) {
      if (first > 0) await nextTurn()
      await Promise.all(connections.slice(first, first + CHECK_BATCH_SIZE).map(connection => this.#sendToOne(connection, send)))
    }
  }

  /**
   * Sends if the reader may still read the dataset, and ends the stream otherwise. It also ends if the check fails: the client
   * then reconnects.
   */
  async #sendToOne(connection: EventConnection, send: (connection: EventConnection) => void): Promise<void> {
    if (connection.isOver) return
    try {
      const actor = await connection.findActor()
      if (actor !== null && canReadDataset(actor, this.#dataset)) send(connection)
      else connection.end()
    } catch (error) {
      this.#ctx.log.warn({ err: error }, 'an event stream could not be served')
      connection.end()
    }
  }

  #collapse(notices: readonly Notice[]): Notice[] {
    const ended = notices.filter(({ name }) => name === 'dataset-deleted').slice(0, 1)
    return [{ name: 'many-changes', dataset_id: this.#dataset.id, user_id: null, data: {} }, ...ended]
  }
}
