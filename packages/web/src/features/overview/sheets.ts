/** Tables with the numbers of each chart, shown instead of the chart and saved as CSV. */
import type { Overview, OverviewAgent, OverviewPerson, OverviewQuestion } from '@postil/domain/overview'
import { percent, score, t } from '../../i18n/i18n.ts'
import { toBurnDown } from './burn-down.ts'
import type { Sheet } from './csv.ts'

export const nameOf = ({ first_name, last_name, username }: Pick<OverviewPerson, 'first_name' | 'last_name' | 'username'>) =>
  [first_name, last_name].filter(Boolean).join(' ') || username

/** Returns null if there are no answers. */
export const shareOf = ({ answered, accepted }: { answered: number; accepted: number }): number | null =>
  answered === 0 ? null : accepted / answered

const rounded = (share: number | null) => (share === null ? null : Math.round(share * 1000) / 1000)

export function burnDownSheet(overview: Overview): Sheet {
  const { line } = toBurnDown(overview)
  return {
    columns: [t('overview.date'), t('overview.completed'), t('overview.left')],
    rows: overview.days.map(({ date, completed }, i) => [date, completed, line[i]?.left ?? null]),
    hasDates: true,
  }
}

/** One column per user. */
export const daysSheet = ({ days, people }: Overview): Sheet => ({
  columns: [t('overview.date'), t('overview.submitted'), ...people.map(({ username }) => username)],
  rows: days.map(({ date, submitted }, i) => [date, submitted, ...people.map(person => person.days[i] ?? 0)]),
  hasDates: true,
})

export const peopleSheet = ({ people }: Overview): Sheet => ({
  columns: [
    t('overview.username'),
    t('overview.person'),
    t('overview.submitted'),
    t('overview.drafts'),
    t('overview.discarded'),
    `${t('overview.median_short')} (${t('overview.seconds')})`,
    t('overview.answered'),
    t('overview.accepted_short'),
    t('overview.last_active'),
  ],
  rows: people.map(person => [
    person.username,
    nameOf(person),
    person.submitted,
    person.draft,
    person.discarded,
    person.median_seconds,
    person.suggestions.answered,
    rounded(shareOf(person.suggestions)),
    `${person.last_active_at.slice(0, 19)}Z`,
  ]),
})

export const valuesSheet = ({ values, other }: OverviewQuestion): Sheet => ({
  columns: [t('overview.value'), t('overview.answers'), t('overview.suggested')],
  rows: [
    ...values.map(({ value, count, suggested }) => [value, count, suggested]),
    ...(other === 0 ? [] : [[t('overview.other_values'), other, null]]),
  ],
})

interface ScoreRow {
  name: string
  /** Same as `score_tenths` in the query. */
  tenths: number
  answered: number
  accepted: number
}

/** One row for each bucket, and one for suggestions without a score. */
export const scoreRows = ({ scores, unscored }: OverviewAgent): ScoreRow[] => [
  ...scores.map(({ from, to, answered, accepted }) => ({
    name: `${score(from)}–${score(to)}`,
    tenths: Math.round(from * 10),
    answered,
    accepted,
  })),
  ...(unscored.answered === 0 ? [] : [{ name: t('overview.no_score'), tenths: -1, ...unscored }]),
]

export const agentsSheet = ({ agents }: Overview): Sheet => ({
  columns: [
    t('overview.question'),
    t('overview.agent'),
    t('overview.score'),
    t('overview.answered'),
    t('overview.accepted_short'),
    t('overview.share'),
  ],
  rows: agents.flatMap(agent =>
    [{ name: t('overview.any_score'), answered: agent.answered, accepted: agent.accepted }, ...scoreRows(agent)].map(row => [
      agent.question,
      agent.agent ?? t('overview.no_agent'),
      row.name,
      row.answered,
      row.accepted,
      rounded(shareOf(row)),
    ]),
  ),
})

export const shareText = (counts: { answered: number; accepted: number }): string => {
  const share = shareOf(counts)
  return share === null ? '–' : percent(share)
}
