/** Forms for the settings of every field type, apart from the viewers: settings are edited without loading any viewer. */
import type { Field } from '@postil/domain/fields'
import type { FieldTypeName } from '@postil/domain/fields/registry'
import type { Component } from 'vue'
import TemplateSetting from './custom/template-setting.vue'
import MarkdownSetting from './markdown-setting.vue'

/** Each takes FieldSettingsProps and emits FieldSettingsEmits; null: nothing to set. */
const FORMS: Readonly<Record<FieldTypeName, Component | null>> = {
  text: MarkdownSetting,
  chat: MarkdownSetting,
  image: null,
  custom: TemplateSetting,
}

export const fieldSettingsOf = ({ settings }: Pick<Field, 'settings'>): Component | null => FORMS[settings.type]
