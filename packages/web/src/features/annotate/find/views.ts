/** Loading and keeping saved views: mine in this browser, shared ones in the dataset. */
import { type Ref, shallowRef, watch } from 'vue'
import { optionsOf, type SavedView, withOptions } from '../../../dataset-options.ts'
import type { DatasetBundle } from '../../../datasets/dataset-bundle.ts'
import { t } from '../../../i18n/i18n.ts'
import type { Session } from '../../../session/session.ts'
import { withoutView, withView } from './view-list.ts'

export type Views = ReturnType<typeof useViews>

export function useViews({ api, database }: Session, bundle: Readonly<Ref<DatasetBundle>>) {
  const mine = shallowRef<SavedView[]>([])
  const shared = shallowRef<SavedView[]>([])
  const listMine = async () => (await database.get<SavedView[]>('views', bundle.value.dataset.id)) ?? []

  watch(
    bundle,
    async ({ options }) => {
      shared.value = options.views
      mine.value = await listMine()
    },
    { immediate: true },
  )

  async function changeMine(change: (views: readonly SavedView[]) => SavedView[]): Promise<void> {
    const next = change(await listMine())
    if (!(await database.write('views', { put: [[bundle.value.dataset.id, next]] }))) throw new Error(t('find.view_unsaved'))
    mine.value = next
  }

  /** On the dataset as it is now: somebody else may have changed other options since the page was opened. */
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
    save: (view: SavedView, isShared: boolean) => changeIn(isShared)(views => withView(views, view)),
    remove: (name: string, isShared: boolean) => changeIn(isShared)(views => withoutView(views, name)),
  }
}
