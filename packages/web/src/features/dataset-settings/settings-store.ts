/** Settings of a dataset: the stored version, and the calls that save its parts. */
import type { DatasetUpdate } from '@postil/domain/datasets'
import type { FieldUpdate } from '@postil/domain/fields'
import type { Job } from '@postil/domain/jobs'
import type { MetadataPropertyCreate, MetadataPropertyUpdate } from '@postil/domain/metadata-properties'
import type { QuestionUpdate } from '@postil/domain/questions'
import type { QuestionOption } from '@postil/domain/questions/options'
import type { VectorsSettingsCreate, VectorsSettingsUpdate } from '@postil/domain/vectors'
import { shallowRef } from 'vue'
import type { Api } from '../../api.ts'
import { type DatasetOptions, optionsOf, withOptions } from '../../dataset-options.ts'
import type { DatasetBundle } from '../../datasets/dataset-bundle.ts'

/** Returns the list with the item replaced by id. */
export const withReplaced = <T extends { id: string }>(items: readonly T[], item: T): T[] =>
  items.map(other => (other.id === item.id ? item : other))

export type DatasetSettings = ReturnType<typeof openDatasetSettings>

export function openDatasetSettings(api: Api, loaded: DatasetBundle) {
  const bundle = shallowRef(loaded)
  const params = { dataset_id: loaded.dataset.id }
  const set = (part: Partial<DatasetBundle>) => {
    bundle.value = { ...bundle.value, ...part }
  }

  async function saveDataset(body: DatasetUpdate): Promise<void> {
    const dataset = await api.updateDataset({ params, body })
    set({ dataset: { ...bundle.value.dataset, ...dataset }, options: optionsOf(dataset) })
  }

  /** Reads the dataset first, because somebody else may have changed other options since the page was opened. */
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
      set({ fields: withReplaced(bundle.value.fields, field) })
    },
    async saveQuestion(question_id: string, body: QuestionUpdate): Promise<void> {
      const question = await api.updateQuestion({ params: { question_id }, body })
      set({ questions: withReplaced(bundle.value.questions, question) })
    },
    async saveRequired(question_id: string, required: boolean): Promise<void> {
      const question = await api.setQuestionRequired({ params: { question_id }, body: { required } })
      set({ questions: withReplaced(bundle.value.questions, question) })
    },
    async saveOrder(question_ids: string[]): Promise<void> {
      const { items } = await api.setQuestionsOrder({ params, body: { question_ids } })
      set({ questions: items })
    },
    async addLabels(question_id: string, options: QuestionOption[]): Promise<void> {
      const question = await api.addQuestionOptions({ params: { question_id }, body: { options } })
      set({ questions: withReplaced(bundle.value.questions, question) })
    },
    /** Removes the label from the question; the returned job replaces it in answers. */
    async replaceLabel(question_id: string, from: string, to: string | null): Promise<Job> {
      const job = await api.migrateQuestionOption({ params: { question_id }, body: { from, to } })
      const { items } = await api.listQuestions({ params })
      set({ questions: items })
      return job
    },
    async addProperty(body: MetadataPropertyCreate): Promise<void> {
      const property = await api.createMetadataProperty({ params, body })
      set({ metadataProperties: [...bundle.value.metadataProperties, property] })
    },
    async addVectors(body: VectorsSettingsCreate): Promise<void> {
      const vectors = await api.createVectorsSettings({ params, body })
      set({ vectorsSettings: [...bundle.value.vectorsSettings, vectors] })
    },
    async saveProperty(metadata_property_id: string, body: MetadataPropertyUpdate): Promise<void> {
      const property = await api.updateMetadataProperty({ params: { metadata_property_id }, body })
      set({ metadataProperties: withReplaced(bundle.value.metadataProperties, property) })
    },
    async saveVectors(vectors_settings_id: string, body: VectorsSettingsUpdate): Promise<void> {
      const settings = await api.updateVectorsSettings({ params: { vectors_settings_id }, body })
      set({ vectorsSettings: withReplaced(bundle.value.vectorsSettings, settings) })
    },
    remove: () => api.deleteDataset({ params }),
  }
}
