/** Entries of the command palette that find records on the annotation page. */
import { type MessageKey, t } from '../../../i18n/i18n.ts'
import type { PaletteEntry } from '../../../shell/palette-entries.ts'
import type { FilterCategory, FilterGroup } from './filters/offers.ts'
import { type Criteria, QUEUES } from './query/criteria.ts'
import { fromView } from './views/view-list.ts'
import type { Views } from './views/views.ts'

interface Parts {
  criteria: Criteria
  categories: readonly FilterCategory[]
  views: Views
  change(criteria: Criteria): void
  openCategory(category: FilterCategory): unknown
}

/** Each question has two entries, one for the user's answers and one for suggestions. */
const FILTER_TITLES: Record<FilterGroup, MessageKey> = {
  metadata: 'find.filter_by_metadata',
  response: 'find.filter_by_response',
  suggestion: 'find.filter_by_suggestion',
  record: 'find.filter_by',
}

export function findEntries({ criteria, categories, views, change, openCategory }: Parts): PaletteEntry[] {
  const queues = QUEUES.filter(queue => queue !== criteria.queue).map(queue => ({
    id: `queue:${queue}`,
    title: t('find.open_queue', { queue: t(`common.status_${queue}`) }),
    group: t('find.queue'),
    run: () => change({ ...criteria, queue }),
  }))
  const saved = (
    [
      ['mine', views.mine.value],
      ['shared', views.shared.value],
    ] as const
  ).flatMap(([whose, list]) =>
    list.map(view => ({
      id: `view:${whose}:${view.name}`,
      title: view.name,
      group: t('find.views'),
      run: () => change(fromView(view)),
    })),
  )
  const filters = categories.map(category => ({
    id: `filter:${category.id}`,
    title: t(FILTER_TITLES[category.group], { title: category.title || t('find.group_record') }),
    group: t('find.filters'),
    words: t(`find.group_${category.group}`),
    run: () => openCategory(category),
  }))
  return [...queues, ...saved, ...filters]
}
