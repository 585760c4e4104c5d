/** Counts by user and by day. */
import { gapsOf, medianSeconds, toDay } from '@postil/domain/overview-rules'
import { DRAFT, type ResponseRows, SUBMITTED } from './response-rows.ts'

export interface Days {
  /** First and last day of the range, as numbers of `toDay`. */
  first: number
  last: number
  utcOffset: number
}

export interface PersonCounts {
  code: number
  submitted: number
  draft: number
  discarded: number
  days: number[]
  medianSeconds: number | null
  lastActiveMs: number
  answered: number
  accepted: number
}

const daysOf = ({ first, last }: Days): number[] => new Array(last - first + 1).fill(0)

/** The result is ordered by user code, which starts at 1. */
export function countPeople(
  rows: ResponseRows,
  users: number,
  days: Days,
): { people: PersonCounts[]; medianSeconds: number | null } {
  const people = Array.from({ length: users }, (_, index) => createPerson(index + 1, days))
  for (let at = 0; at < rows.size; at++) {
    const status = rows.statuses[at] as number
    const person = people[(rows.users[at] as number) - 1]
    if (status === 0 || person === undefined) continue
    const timeMs = rows.times[at] as number
    if (timeMs > person.lastActiveMs) person.lastActiveMs = timeMs
    if (status === DRAFT) person.draft++
    else if (status !== SUBMITTED) person.discarded++
    else addSubmitted(person, rows, at, days)
  }
  const gaps = listTimes(rows, people).map(times => gapsOf(times.sort()))
  for (const person of people) person.medianSeconds = medianSeconds(gaps[person.code - 1] ?? new Float64Array(0))
  return { people: people.filter(({ lastActiveMs }) => lastActiveMs >= 0), medianSeconds: medianSeconds(joined(gaps)) }
}

const createPerson = (code: number, days: Days): PersonCounts => ({
  code,
  submitted: 0,
  draft: 0,
  discarded: 0,
  days: daysOf(days),
  medianSeconds: null,
  lastActiveMs: -1,
  answered: 0,
  accepted: 0,
})

function addSubmitted(person: PersonCounts, rows: ResponseRows, at: number, { first, last, utcOffset }: Days): void {
  person.submitted++
  const day = toDay(rows.times[at] as number, utcOffset)
  if (day >= first && day <= last) person.days[day - first] = (person.days[day - first] as number) + 1
  for (const codes of rows.suggested) {
    const code = codes[at] as number
    if (code === 0) continue
    person.answered++
    person.accepted += code & 1
  }
}

/** Returns the times at which each user submitted or discarded. Drafts do not count, because they are saved while typing. */
function listTimes(rows: ResponseRows, people: readonly PersonCounts[]): Float64Array[] {
  const times = people.map(({ submitted, discarded }) => new Float64Array(submitted + discarded))
  const sizes = new Uint32Array(people.length)
  for (let at = 0; at < rows.size; at++) {
    const status = rows.statuses[at] as number
    if (status === 0 || status === DRAFT) continue
    const person = (rows.users[at] as number) - 1
    const size = sizes[person] as number
    ;(times[person] as Float64Array)[size] = rows.times[at] as number
    sizes[person] = size + 1
  }
  return times
}

function joined(lists: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(lists.reduce((sum, { length }) => sum + length, 0))
  let size = 0
  for (const list of lists) {
    all.set(list, size)
    size += list.length
  }
  return all
}

export interface ProgressCounts {
  /** Records that are not completed and have at least one response. */
  inProgress: number
  /** Records completed on each day, that is, when the last required response arrived. */
  completed: number[]
}

export function countRecords(rows: ResponseRows, minSubmitted: number, days: Days): ProgressCounts {
  const { first, last, utcOffset } = days
  const completed = daysOf(days)
  let inProgress = 0
  const times: number[] = []
  for (let at = 0; at < rows.size; ) {
    const recordNo = rows.recordNos[at]
    let isCompleted = false
    let responses = 0
    times.length = 0
    for (; at < rows.size && rows.recordNos[at] === recordNo; at++) {
      const status = rows.statuses[at] as number
      if (status === 0) continue
      responses++
      isCompleted = rows.completed[at] === 1
      if (status === SUBMITTED) times.push(rows.times[at] as number)
    }
    if (responses === 0) continue
    if (!isCompleted) {
      inProgress++
      continue
    }
    if (times.length > 1) times.sort((a, b) => a - b)
    const timeMs = times[minSubmitted - 1]
    const day = timeMs === undefined ? -1 : toDay(timeMs, utcOffset)
    if (day >= first && day <= last) completed[day - first] = (completed[day - first] as number) + 1
  }
  return { inProgress, completed }
}
