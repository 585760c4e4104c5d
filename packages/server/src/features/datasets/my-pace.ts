import { PACE_ANSWERS, PACE_TODAY_MAX, type Pace, secondsPerRecord, startOfDay } from '@postil/domain/pace'
import type { Id } from '@postil/domain/schema'
import type { Queryable } from '../../storage/database.ts'
import { countSubmittedSince, listAnswerTimes } from './progress-store.ts'

/** Drafts among the latest responses are skipped; with more of them, the pace is that of fewer answers. */
const LATEST_MAX = 2 * PACE_ANSWERS

/** Loads a user's pace in each of these datasets, with two statements for any number of datasets. */
export async function loadMyPace(
  db: Queryable,
  datasetIds: readonly Id[],
  { userId, todayStart }: { userId: Id; todayStart: string },
): Promise<(datasetId: Id) => Pace> {
  const counts = await countSubmittedSince(db, datasetIds, { userId, since: todayStart, rowsMax: PACE_TODAY_MAX })
  const today = new Map(counts.map(row => [row.dataset_id, row.today]))
  const times = Map.groupBy(await listAnswerTimes(db, datasetIds, { userId, rowsMax: LATEST_MAX }), row => row.dataset_id)
  return datasetId => ({
    today: today.get(datasetId) ?? 0,
    median_seconds: secondsPerRecord((times.get(datasetId) ?? []).map(({ updated_at }) => Date.parse(`${updated_at}Z`))),
  })
}

/** Returns the last midnight in the caller's time zone in the format of stored times, whose fractions are longer. */
export const toTodayStart = (now: string, utcOffset = 0): string =>
  new Date(startOfDay(Date.parse(`${now}Z`), utcOffset)).toISOString().slice(0, -1)
