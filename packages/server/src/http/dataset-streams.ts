/**
 * All open event streams of one dataset. What happens is read from the dataset's log, once for all of them. Progress is read once for all of them, and the metrics of all their users in one
 * batch, at most once a second. Before anything goes out, the credentials and the rights of each reader are checked again:
 * a stream whose reader may not read the dataset any more ends without it.
 */
import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { canReadDataset } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { Context } from '../context.ts'
import type { DatasetWatch } from '../events/dataset-watch.ts'
import type { Notice } from '../events/emit.ts'
import { type LiveChanges, type LiveOfUsers, readLiveChanges, readLiveOfUsers } from '../features/datasets/live-read.ts'
import { type Supervised, supervise } from '../lib/supervise.ts'
import type { Dispatch } from './app.ts'
import { continueCall, type InnerCall, toInnerCall } from './call.ts'
import type { EventConnection } from './event-connection.ts'

const REFRESH_MS = 1_000
/** With more waiting to be sent than this, readers are told to load everything again instead. */
const PENDING_MAX = 1_000
/** Readers whose rights are checked before other work of the thread goes on. */
const CHECKED_AT_ONCE = 20

interface FollowedDataset {
  id: Id
  workspace_id: Id
  /** What comes after this entry of its log is told. */
  change_no: number
}

export class DatasetStreams {
  readonly #ctx: Context
  readonly #dispatch: Dispatch
  readonly #connections = new Set<EventConnection>()
  readonly #refreshing: Supervised<void>
  /** Rights depend on its workspace, which never changes: so they can be checked after it was deleted too. */
  readonly #dataset: FollowedDataset
  readonly #following: Supervised<void>
  #unfollow: () => void = () => {}
  /** The newest entry of the log, and the one up to which it was read. */
  #head: number
  #read: number
  #isReading = false
  #pending: Notice[] = []
  #isDelivering = false
  #refreshedAt = performance.now()
  /** Set while a refresh waits or runs. */
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

  /** From now on until `close`. */
  follow(watch: DatasetWatch): void {
    this.#unfollow = watch.follow(this.#dataset.id, {
      onHead: changeNo => this.#reach(changeNo),
      onNotices: notices => this.tell(notices),
    })
  }

  close(): void {
    this.#unfollow()
  }

  #reach(changeNo: number): void {
    if (changeNo > this.#head) {
      this.#head = changeNo
      this.refresh()
    }
    // Also after a failure: the same number is told again a second later.
    if (this.#head > this.#read && !this.#isReading) void this.#follow()
  }

  async #follow(): Promise<void> {
    this.#isReading = true
    const done = await this.#following.step()
    this.#isReading = false
    // What came while the last answer was on its way.
    if (done !== null && this.#connections.size > 0) this.#reach(this.#head)
  }

  /** Tells what the entries say that were not read yet. */
  async #readLog(): Promise<void> {
    while (this.#head > this.#read) {
      const [first] = this.#connections
      if (!first) return
      const body = { dataset_id: this.#dataset.id, after: this.#read }
      const changes = await this.#find<LiveChanges>(first, toInnerCall(readLiveChanges, body))
      // Nothing is left of the log of a deleted dataset.
      if (changes === null || changes.next <= this.#read) this.#read = this.#head
      else {
        this.#read = changes.next
        this.tell(changes.notices)
      }
    }
  }

  /** Null if there is no such dataset. */
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
    // Finds what happened between the first state of the connection and its registration here.
    this.refresh()
  }

  /** Whether it was there. */
  remove(connection: EventConnection): boolean {
    const wasThere = this.#connections.delete(connection)
    if (this.#connections.size === 0) clearTimeout(this.#timer ?? undefined)
    return wasThere
  }

  tell(notices: readonly Notice[]): void {
    this.#pending.push(...notices)
    if (this.#pending.length > PENDING_MAX) this.#pending = this.#toFew(this.#pending)
    if (!this.#isDelivering) void this.#deliver()
  }

  /** Keeps connections alive, and finds those whose reader lost their rights while nothing happened. */
  beat(): void {
    for (const connection of this.#connections) connection.beat()
    this.refresh()
  }

  /** Soon, and not more than once a second. */
  refresh(): void {
    if (this.#timer !== null) {
      this.#isStale = true
      return
    }
    const waitMs = Math.max(0, this.#refreshedAt + REFRESH_MS - performance.now(), this.#refreshing.waitMs())
    this.#timer = setTimeout(() => void this.#look(), waitMs)
  }

  async #look(): Promise<void> {
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
    if (state === null) return this.tell([{ name: 'dataset-deleted', dataset_id: this.#dataset.id, user_id: null, data: {} }])
    const { progress, metrics } = state
    const texts = new Map(Object.entries(metrics).map(([userId, own]) => [userId, JSON.stringify({ progress, metrics: own })]))
    await this.#sendTo([...this.#connections], connection => {
      const text = texts.get(connection.userId)
      if (text !== undefined) connection.sendState(text)
      // It came while the others' state was read.
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

  /** In small groups, so that requests are answered between them: a thousand readers take tens of milliseconds to check. */
  async #sendTo(connections: readonly EventConnection[], send: (connection: EventConnection) => void): Promise<void> {
    for (let first = 0; first < connections.length; first += CHECKED_AT_ONCE) {
      if (first > 0) await nextTurn()
      await Promise.all(connections.slice(first, first + CHECKED_AT_ONCE).map(connection => this.#sendToOne(connection, send)))
    }
  }

  /** Sends if the reader may still read the dataset, and ends the stream otherwise. One that cannot be checked ends too: it connects again. */
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

  #toFew(notices: readonly Notice[]): Notice[] {
    const ended = notices.filter(({ name }) => name === 'dataset-deleted').slice(0, 1)
    return [{ name: 'many-changes', dataset_id: this.#dataset.id, user_id: null, data: {} }, ...ended]
  }
}
