import { allow } from '@postil/domain/errors'
import { OVERVIEW_PEOPLE_MAX, type Overview, type OverviewPerson, type OverviewQuery } from '@postil/domain/overview'
import { forecastOf, PACE_DAYS, toDate, toDay } from '@postil/domain/overview-rules'
import { canReadOverview } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import type { Queryable } from '../../storage/database.ts'
import { type DatasetSettings, loadDatasetSettings } from '../datasets/settings.ts'
import { loadDataset, type StoredDataset } from '../datasets/store.ts'
import { countAnswers } from './count-answers.ts'
import { countPeople, countRecords, type Days, type PersonCounts } from './count-people.ts'
import { listAuthors } from './store.ts'
import type { Tally } from './tally.ts'

const DAYS_DEFAULT = 30

/** Cached result, valid until something changes. */
interface CachedCounts {
  key: string
  counted: OverviewCounts
}
const lastCounts = new WeakMap<Tally, CachedCounts>()

/** Returns the statistics of a dataset. Names are read each time, because renaming a user adds no entry to the dataset's log. */
export function getDatasetOverview(ctx: RequestContext, id: Id, query: OverviewQuery): Promise<Overview> {
  return ctx.db.snapshot(async db => {
    const dataset = await loadDataset(db, id)
    allow(canReadOverview(ctx.actor, dataset))
    const settings = await loadDatasetSettings(db, dataset)
    const days = toDays(query, Date.parse(`${ctx.now()}Z`))
    const counted = await ctx.tallies.use(db, dataset, tally => countOnce(tally, dataset, settings, days))
    return toOverview(db, dataset, counted, days)
  })
}

/** The range may cover more days than are listed, if the forecast needs them. */
interface DayRange extends Days {
  listed: number
}

function toDays({ days = DAYS_DEFAULT, utc_offset = 0 }: OverviewQuery, nowMs: number): DayRange {
  const today = toDay(nowMs, utc_offset)
  return { first: today - Math.max(days, PACE_DAYS) + 1, last: today, utcOffset: utc_offset, listed: days }
}

function countOnce(tally: Tally, dataset: StoredDataset, settings: DatasetSettings, days: DayRange): OverviewCounts {
  const key = JSON.stringify([tally.changeNo, tally.done, dataset.distribution, dataset.settings_version, days])
  const known = lastCounts.get(tally)
  if (known?.key === key) return known.counted
  const counted = count(tally, dataset, settings, days)
  lastCounts.set(tally, { key, counted })
  return counted
}

type OverviewCounts = ReturnType<typeof count>

function count(tally: Tally, dataset: StoredDataset, settings: DatasetSettings, days: Days) {
  const { people, medianSeconds } = countPeople(tally.rows, tally.users.size, days)
  return {
    reading: tally.reached === null ? null : { done: Math.min(tally.done, dataset.records_count), total: dataset.records_count },
    records: countRecords(tally.rows, dataset.distribution.min_submitted, days),
    people: people
      .map(person => ({ ...person, id: tally.users.at(person.code) }))
      .sort((a, b) => b.submitted - a.submitted || b.lastActiveMs - a.lastActiveMs || (a.id < b.id ? -1 : 1)),
    medianSeconds,
    ...countAnswers(tally, settings),
  }
}

async function toOverview(db: Queryable, dataset: StoredDataset, counted: OverviewCounts, days: DayRange): Promise<Overview> {
  const { records_count: total, completed_count: completed } = dataset
  const { people, records, reading, medianSeconds, questions, agents } = counted
  const sumOf = (key: 'submitted' | 'draft' | 'discarded' | 'answered' | 'accepted') =>
    people.reduce((sum, person) => sum + person[key], 0)
  const inProgress = Math.min(records.inProgress, total - completed)
  const forecast = forecastOf({ completed: records.completed, remaining: total - completed, today: days.last })
  return {
    reading,
    records: { total, completed, in_progress: inProgress, not_started: total - completed - inProgress },
    responses: { submitted: sumOf('submitted'), draft: sumOf('draft'), discarded: sumOf('discarded') },
    median_seconds: medianSeconds,
    suggestions: { answered: sumOf('answered'), accepted: sumOf('accepted') },
    forecast: reading === null ? forecast : null,
    days: records.completed.slice(-days.listed).map((completed, at) => ({
      date: toDate(days.last - days.listed + 1 + at),
      completed,
      submitted: people.reduce((sum, person) => sum + (person.days.at(at - days.listed) ?? 0), 0),
    })),
    people: await toPeople(db, people.slice(0, OVERVIEW_PEOPLE_MAX), days.listed),
    people_total: people.length,
    questions,
    agents,
  }
}

/** Omits users who are being deleted. */
async function toPeople(
  db: Queryable,
  people: readonly (PersonCounts & { id: Id })[],
  listed: number,
): Promise<OverviewPerson[]> {
  const authors = await listAuthors(
    db,
    people.map(({ id }) => id),
  )
  const byId = new Map(authors.map(author => [author.id, author]))
  return people.flatMap(person => {
    const author = byId.get(person.id)
    if (author === undefined) return []
    const { submitted, draft, discarded, days, medianSeconds, lastActiveMs, answered, accepted } = person
    return [
      {
        ...author,
        submitted,
        draft,
        discarded,
        days: days.slice(-listed),
        median_seconds: medianSeconds,
        last_active_at: new Date(lastActiveMs).toISOString().replace('Z', '000'),
        suggestions: { answered, accepted },
      },
    ]
  })
}
