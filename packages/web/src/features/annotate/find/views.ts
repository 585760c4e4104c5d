/** Loading and keeping saved views: mine in this browser, shared ones in the dataset. */
import { type Ref, shallowRef, watch } from 'vue'
import { api } from '../../../api.ts'
import { optionsOf, type SavedView, withOptions } from '../../../dataset-options.ts'
import { me } from '../../../session.ts'
import { openTable } from '../../../storage/browser-store.ts'
import type { DatasetBundle } from '../dataset-bundle.ts'
import { withoutView, withView } from './view-list.ts'

export type Views = ReturnType<typeof useViews>

const table = openTable<SavedView[]>('views')

export function useViews(bundle: Readonly<Ref<DatasetBundle>>) {
  const mine = shallowRef<SavedView[]>([])
  const shared = shallowRef<SavedView[]>([])
  const key = () => `${me.value?.id ?? ''}:${bundle.value.dataset.id}`

  watch(
    bundle,
    async ({ options }) => {
      shared.value = options.views
      mine.value = (await table.get(key())) ?? []
    },
    { immediate: true },
  )

  async function changeMine(change: (views: readonly SavedView[]) => SavedView[]): Promise<void> {
    const next = change((await table.get(key())) ?? [])
    await table.put(key(), next)
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
