/** A dataset's settings on this page: what is stored, and how each part of it is saved. */
import type { DatasetUpdate } from '@postil/domain/datasets'
import type { FieldUpdate } from '@postil/domain/fields'
import type { MetadataPropertyUpdate } from '@postil/domain/metadata-properties'
import type { QuestionUpdate } from '@postil/domain/questions'
import type { VectorsSettingsUpdate } from '@postil/domain/vectors'
import { shallowRef } from 'vue'
import type { Api } from '../../api.ts'
import { type DatasetOptions, optionsOf, withOptions } from '../../dataset-options.ts'
import type { DatasetBundle } from '../../datasets/dataset-bundle.ts'

/** The list with this one in the place of its earlier self. */
export const replaced = <T extends { id: string }>(items: readonly T[], item: T): T[] =>
  items.map(other => (other.id === item.id ? item : other))

export type DatasetSettings = ReturnType<typeof openSettings>

export function openSettings(api: Api, loaded: DatasetBundle) {
  const bundle = shallowRef(loaded)
  const params = { dataset_id: loaded.dataset.id }
  const set = (part: Partial<DatasetBundle>) => {
    bundle.value = { ...bundle.value, ...part }
  }

  async function saveDataset(body: DatasetUpdate): Promise<void> {
    const dataset = await api.updateDataset({ params, body })
    set({ dataset: { ...bundle.value.dataset, ...dataset }, options: optionsOf(dataset) })
  }

  /** On the dataset as it is now: somebody else may have changed other options since the page was opened. */
  async function saveOptions(change: (options: DatasetOptions) => Partial<DatasetOptions>): Promise<void> {
    const dataset = await api.getDataset({ params })
    const options = optionsOf(dataset)
    await saveDataset({ metadata: withOptions(dataset, { ...options, ...change(options) }) })
  }

  return {
    bundle,
    saveDataset,
    saveOptions,
    async saveField(field_id: string, body: FieldUpdate): Promise<void> {
      const field = await api.updateField({ params: { field_id }, body })
      set({ fields: replaced(bundle.value.fields, field) })
    },
    async saveQuestion(question_id: string, body: QuestionUpdate): Promise<void> {
      const question = await api.updateQuestion({ params: { question_id }, body })
      set({ questions: replaced(bundle.value.questions, question) })
    },
    async saveProperty(metadata_property_id: string, body: MetadataPropertyUpdate): Promise<void> {
      const property = await api.updateMetadataProperty({ params: { metadata_property_id }, body })
      set({ metadataProperties: replaced(bundle.value.metadataProperties, property) })
    },
    async saveVectors(vectors_settings_id: string, body: VectorsSettingsUpdate): Promise<void> {
      const settings = await api.updateVectorsSettings({ params: { vectors_settings_id }, body })
      set({ vectorsSettings: replaced(bundle.value.vectorsSettings, settings) })
    },
    remove: () => api.deleteDataset({ params }),
  }
}
