/** Loads and saves views: the user's own in this browser, shared ones in the dataset. */
import { type Ref, shallowRef, watch } from 'vue'
import { optionsOf, type SavedView, withOptions } from '../../../../dataset-options.ts'
import type { DatasetBundle } from '../../../../datasets/dataset-bundle.ts'
import { t } from '../../../../i18n/i18n.ts'
import type { Session } from '../../../../session/session.ts'
import { withoutView, withView } from './view-list.ts'

export type Views = ReturnType<typeof useViews>

export function useViews({ api, database }: Session, bundle: Readonly<Ref<DatasetBundle>>) {
  const mine = shallowRef<SavedView[]>([])
  const shared = shallowRef<SavedView[]>([])

  /** Reads again, because another tab may have saved a view, or storage may have failed before. */
  async function readMine(): Promise<void> {
    const { id } = bundle.value.dataset
    const views = await database.get<SavedView[]>('views', id)
    if (views && id === bundle.value.dataset.id) mine.value = views
  }

  watch(
    bundle,
    ({ dataset, options }, before) => {
      shared.value = options.views
      if (dataset.id !== before?.dataset.id) mine.value = []
      void readMine()
    },
    { immediate: true },
  )

  async function changeMine(change: (views: readonly SavedView[]) => SavedView[]): Promise<void> {
    let next: SavedView[] = []
    const isStored = await database.edit<SavedView[]>('views', bundle.value.dataset.id, (before = []) => {
      next = change(before)
      return next
    })
    if (!isStored) throw new Error(t('find.view_unsaved'))
    mine.value = next
  }

  /** Reads the dataset first, because somebody else may have changed other options since the page was opened. */
  async function changeShared(change: (views: readonly SavedView[]) => SavedView[]): Promise<void> {
    const params = { dataset_id: bundle.value.dataset.id }
    const dataset = await api.getDataset({ params })
    const options = optionsOf(dataset)
    const views = change(options.views)
    await api.updateDataset({ params, body: { metadata: withOptions(dataset, { ...options, views }) } })
    shared.value = views
  }

  const changeIn = (isShared: boolean) => (isShared ? changeShared : changeMine)
  return {
    mine,
    shared,
    readMine,
    save: (view: SavedView, isShared: boolean) => changeIn(isShared)(views => withView(views, view)),
    remove: (name: string, isShared: boolean) => changeIn(isShared)(views => withoutView(views, name)),
  }
}
