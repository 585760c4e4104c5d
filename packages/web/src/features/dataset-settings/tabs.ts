/** Tabs of the settings page. Their names are the ones that existing links use. */
import { Axis3d, Braces, FileText, MessageCircleQuestionMark, SlidersHorizontal, Trash2 } from '@lucide/vue'
import type { Component } from 'vue'
import type { DatasetBundle } from '../../datasets/dataset-bundle.ts'
import type { MessageKey } from '../../i18n/i18n.ts'
import DangerTab from './danger-tab.vue'
import FieldsTab from './fields-tab.vue'
import GeneralTab from './general-tab.vue'
import MetadataTab from './metadata-tab.vue'
import QuestionsTab from './questions-tab.vue'
import VectorsTab from './vectors-tab.vue'

export interface Tab {
  name: string
  title: MessageKey
  icon: Component
  /** Receives `settings` as a prop. */
  component: Component
  count?(bundle: DatasetBundle): number
  /** Separated from the others by a line. */
  isApart?: boolean
}

export const TABS: readonly [Tab, ...Tab[]] = [
  { name: 'general', title: 'datasetSettings.tab_general', icon: SlidersHorizontal, component: GeneralTab },
  {
    name: 'fields',
    title: 'datasetSettings.tab_fields',
    icon: FileText,
    component: FieldsTab,
    count: ({ fields }) => fields.length,
  },
  {
    name: 'questions',
    title: 'datasetSettings.tab_questions',
    icon: MessageCircleQuestionMark,
    component: QuestionsTab,
    count: ({ questions }) => questions.length,
  },
  {
    name: 'metadata',
    title: 'datasetSettings.tab_metadata',
    icon: Braces,
    component: MetadataTab,
    count: ({ metadataProperties }) => metadataProperties.length,
  },
  {
    name: 'vector',
    title: 'datasetSettings.tab_vector',
    icon: Axis3d,
    component: VectorsTab,
    count: ({ vectorsSettings }) => vectorsSettings.length,
  },
  { name: 'danger-zone', title: 'datasetSettings.tab_danger_zone', icon: Trash2, component: DangerTab, isApart: true },
]

export const tabOf = (name: unknown): Tab => TABS.find(tab => tab.name === name) ?? TABS[0]
