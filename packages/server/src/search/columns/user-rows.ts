import type { Id } from '@postil/domain/schema'
import { Bitmap } from '../bitmap.ts'
import { ensureLength, moveElementsUp } from '../grow.ts'
import type { Move } from '../insertion.ts'

/**
 * Data that a user has on a record (a response or a flag), at most one row for each user and record. A row is identified by its
 * slot, and columns with its values are indexed by slot. Memory therefore grows with the number of rows, not with users times
 * records. The slots of a record form a linked list.
 */
export class UserRows {
  readonly #userCodes = new Map<Id, number>()
  /** By slot: the user's code, or 0 if the slot is free. */
  #users = new Uint32Array(0)
  /** By slot: the ordinal of its record. */
  #ordinals = new Uint32Array(0)
  /** Linked lists of slots: `#first` by ordinal, `#next` by slot. Entries are slot numbers plus 1, and 0 ends the list. */
  #first = new Uint32Array(0)
  #next = new Uint32Array(0)
  readonly #free: number[] = []
  /** Cached result of `ofUser`, which is called several times for the queues of one user. */
  #known: { userId: Id | null; slots: Bitmap } | null = null
  #size = 0

  get bytes(): number {
    const arrays = [this.#users, this.#ordinals, this.#first, this.#next]
    return arrays.reduce((sum, { byteLength }) => sum + byteLength, this.#free.length * 8)
  }

  /** Number of slots, including free ones. */
  get size(): number {
    return this.#size
  }

  reserve(ordinals: number): void {
    this.#first = ensureLength(this.#first, ordinals)
  }

  /**
   * Returns the user's code for `firstSlot` and `nextSlot`; 0 (all users) for null. A user without rows gets a code that no slot
   * has.
   */
  userCode(userId: Id | null): number {
    return userId === null ? 0 : (this.#userCodes.get(userId) ?? this.#userCodes.size + 1)
  }

  /** Returns the slot of the user's row. Adds a row if there is none. */
  add(ordinal: number, userId: Id): number {
    const known = this.find(ordinal, userId)
    if (known >= 0) return known
    this.reserve(ordinal + 1)
    const slot = this.#takeSlot()
    const code = this.userCode(userId)
    if (code > this.#userCodes.size) this.#userCodes.set(toOwnText(userId), code)
    this.#known = null
    this.#users[slot] = code
    this.#ordinals[slot] = ordinal
    this.#next[slot] = this.#first[ordinal] as number
    this.#first[ordinal] = slot + 1
    return slot
  }

  /** Returns the slot of the user's row, or -1 if there is none. */
  find(ordinal: number, userId: Id): number {
    return this.firstSlot(ordinal, this.userCode(userId))
  }

  remove(slot: number): void {
    const ordinal = this.#ordinals[slot] as number
    const after = this.#next[slot] as number
    let before = (this.#first[ordinal] as number) - 1
    if (before === slot) this.#first[ordinal] = after
    else {
      while ((this.#next[before] as number) - 1 !== slot) before = (this.#next[before] as number) - 1
      this.#next[before] = after
    }
    this.#known = null
    this.#users[slot] = 0
    this.#free.push(slot)
  }

  /** Moves records up together with their slots. */
  moveUp(move: Move): void {
    this.#first = moveElementsUp(this.#first, move, 0)
    for (let ordinal = move.from + move.by; ordinal < Math.min(move.end + move.by, this.#first.length); ordinal++) {
      for (let slot = this.firstSlot(ordinal, 0); slot >= 0; slot = this.nextSlot(slot, 0)) this.#ordinals[slot] = ordinal
    }
  }

  slotsOf(ordinal: number): number[] {
    const slots: number[] = []
    for (let slot = this.firstSlot(ordinal, 0); slot >= 0; slot = this.nextSlot(slot, 0)) slots.push(slot)
    return slots
  }

  /** Returns the first slot of a record that belongs to the user with this code (0 for any user), or -1 if there is none. */
  firstSlot(ordinal: number, userCode: number): number {
    const slot = (this.#first[ordinal] ?? 0) - 1
    return slot < 0 || userCode === 0 || this.#users[slot] === userCode ? slot : this.nextSlot(slot, userCode)
  }

  /** Returns the next such slot of the same record, or -1. */
  nextSlot(slot: number, userCode: number): number {
    let next = (this.#next[slot] as number) - 1
    while (next >= 0 && userCode !== 0 && this.#users[next] !== userCode) next = (this.#next[next] as number) - 1
    return next
  }

  ordinalOf(slot: number): number {
    return this.#ordinals[slot] as number
  }

  /** Returns the slots of a user (null for all users) as a new bitmap that the caller may modify. */
  ofUser(userId: Id | null): Bitmap {
    if (this.#known?.userId !== userId) this.#known = { userId, slots: this.#findSlots(userId) }
    return this.#known.slots.clone()
  }

  #findSlots(userId: Id | null): Bitmap {
    const slots = new Bitmap(this.#size)
    const code = this.userCode(userId)
    const { words } = slots
    const users = this.#users
    for (let i = 0; i < words.length; i++) {
      let word = 0
      for (let bit = 0; bit < 32; bit++) {
        const user = users[i * 32 + bit] as number
        word |= (code === 0 ? Number(user !== 0) : Number(user === code)) << bit
      }
      words[i] = word
    }
    return slots
  }

  /** Returns the ordinals of the records that the slots belong to. */
  toOrdinals(slots: Bitmap): Bitmap {
    const ordinals = new Bitmap(this.#first.length)
    const listed = slots.ordinals()
    for (let i = 0; i < listed.length; i++) ordinals.set(this.#ordinals[listed[i] as number] as number)
    return ordinals
  }

  #takeSlot(): number {
    const slot = this.#free.pop() ?? this.#size++
    this.#users = ensureLength(this.#users, slot + 1)
    this.#ordinals = ensureLength(this.#ordinals, slot + 1)
    this.#next = ensureLength(this.#next, slot + 1)
    return slot
  }
}

/** Copies an id. A substring of a long text would keep the whole text in memory. */
const toOwnText = (id: Id): Id => Buffer.from(id, 'latin1').toString('latin1')
