/** What the palette offers on the annotation page to find records by. */
import { t } from '../../../i18n/i18n.ts'
import type { PaletteEntry } from '../../../shell/palette-entries.ts'
import { type Criteria, QUEUES } from './criteria.ts'
import type { FilterCategory } from './offers.ts'
import { fromView } from './view-list.ts'
import type { Views } from './views.ts'

interface Parts {
  criteria: Criteria
  categories: readonly FilterCategory[]
  views: Views
  change(criteria: Criteria): void
  openCategory(category: FilterCategory): unknown
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
    title: t('find.filter_by', { title: category.title || t('find.group_record') }),
    group: t('find.filters'),
    words: t(`find.group_${category.group}`),
    run: () => openCategory(category),
  }))
  return [...queues, ...saved, ...filters]
}
