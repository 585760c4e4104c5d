/**
 * The responses of a dataset in typed arrays, one row each, with the values that the overview counts.
 *
 * Rows of one record are adjacent, and records are in the order of their numbers. If a record changes, its rows are marked as
 * removed and its new rows are appended; when there are many of those, all rows are sorted again.
 */
import { ensureLength } from '../../search/grow.ts'

/** 0 marks removed rows. */
export const STATUS_CODES = ['removed', 'draft', 'discarded', 'submitted'] as const
export const SUBMITTED = STATUS_CODES.indexOf('submitted')
export const DRAFT = STATUS_CODES.indexOf('draft')
const REMOVED = 0

export interface NewRow {
  recordNo: number
  isCompleted: boolean
  userCode: number
  status: number
  timeMs: number
  /** Code of the answer for each question; 0 if there is none. */
  answers: readonly number[]
  /** For each question, the code of the suggestion times two, plus one if the answer equals it; 0 if there is none. */
  suggested: readonly number[]
}

const LATER_MIN = 20_000
const LATER_SHARE = 0.25

export class ResponseRows {
  size = 0
  recordNos = new Float64Array(0)
  completed = new Uint8Array(0)
  users = new Uint32Array(0)
  statuses = new Uint8Array(0)
  times = new Float64Array(0)
  answers: Uint32Array[]
  suggested: Uint32Array[]
  /** End of the rows that are sorted by record number. */
  #ordered = 0
  /** First row of each record after the sorted rows. */
  readonly #later = new Map<number, number>()

  constructor(questions: number) {
    this.answers = Array.from({ length: questions }, () => new Uint32Array(0))
    this.suggested = Array.from({ length: questions }, () => new Uint32Array(0))
  }

  get bytes(): number {
    return this.recordNos.length * (8 + 1 + 4 + 1 + 8 + 8 * this.answers.length) + this.#later.size * 64
  }

  /** Appends rows of records whose numbers are higher than all others. */
  append(rows: readonly NewRow[]): void {
    if (this.#later.size > 0) this.#order()
    for (const row of rows) this.#push(row)
    this.#ordered = this.size
  }

  /** Replaces the rows of the records. New rows of a record must be adjacent. */
  replace(recordNos: readonly number[], rows: readonly NewRow[]): void {
    for (const recordNo of recordNos) this.#remove(recordNo)
    for (const row of rows) {
      if (!this.#later.has(row.recordNo)) this.#later.set(row.recordNo, this.size)
      this.#push(row)
    }
    if (this.size - this.#ordered > Math.max(LATER_MIN, this.#ordered * LATER_SHARE)) this.#order()
  }

  #push(row: NewRow): void {
    const at = this.size++
    this.#reserve(this.size)
    this.recordNos[at] = row.recordNo
    this.completed[at] = row.isCompleted ? 1 : 0
    this.users[at] = row.userCode
    this.statuses[at] = row.status
    this.times[at] = row.timeMs
    for (let q = 0; q < this.answers.length; q++) {
      ;(this.answers[q] as Uint32Array)[at] = row.answers[q] as number
      ;(this.suggested[q] as Uint32Array)[at] = row.suggested[q] as number
    }
  }

  #reserve(size: number): void {
    if (size <= this.recordNos.length) return
    this.recordNos = ensureLength(this.recordNos, size)
    this.completed = ensureLength(this.completed, size)
    this.users = ensureLength(this.users, size)
    this.statuses = ensureLength(this.statuses, size)
    this.times = ensureLength(this.times, size)
    this.answers = this.answers.map(codes => ensureLength(codes, size))
    this.suggested = this.suggested.map(codes => ensureLength(codes, size))
  }

  #remove(recordNo: number): void {
    const first = this.#later.get(recordNo) ?? this.#findOrdered(recordNo)
    for (let at = first; at < this.size && this.recordNos[at] === recordNo; at++) this.statuses[at] = REMOVED
    this.#later.delete(recordNo)
  }

  /** Returns the first sorted row of the record, or the position where it would be. */
  #findOrdered(recordNo: number): number {
    let low = 0
    let high = this.#ordered
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.recordNos[middle] as number) < recordNo) low = middle + 1
      else high = middle
    }
    return low < this.#ordered ? low : this.size
  }

  #order(): void {
    const order = this.#listOrdered()
    const pick = <A extends Uint8Array | Uint32Array | Float64Array>(from: A): A => {
      const to = new (from.constructor as new (size: number) => A)(from.length)
      for (let i = 0; i < order.length; i++) to[i] = from[order[i] as number] as number
      return to
    }
    this.recordNos = pick(this.recordNos)
    this.completed = pick(this.completed)
    this.users = pick(this.users)
    this.statuses = pick(this.statuses)
    this.times = pick(this.times)
    this.answers = this.answers.map(pick)
    this.suggested = this.suggested.map(pick)
    this.size = order.length
    this.#ordered = order.length
    this.#later.clear()
  }

  /** Returns the rows that are not removed, in the order of their records. */
  #listOrdered(): Uint32Array {
    const order = new Uint32Array(this.size)
    let size = 0
    const pushRecord = ([recordNo, first]: [number, number]) => {
      for (let at = first; at < this.size && this.recordNos[at] === recordNo; at++) if (this.statuses[at]) order[size++] = at
    }
    const later = [...this.#later].sort((a, b) => a[0] - b[0])
    let next = 0
    for (let at = 0; at < this.#ordered; at++) {
      for (let group = later[next]; group && group[0] < (this.recordNos[at] as number); group = later[++next]) pushRecord(group)
      if (this.statuses[at]) order[size++] = at
    }
    for (const group of later.slice(next)) pushRecord(group)
    return order.subarray(0, size)
  }
}
