/** Settings forms of the field types, separate from the viewers, so that settings can be edited without loading a viewer. */
import type { Field } from '@postil/domain/fields'
import type { FieldTypeName } from '@postil/domain/fields/registry'
import type { Component } from 'vue'
import TemplateSetting from './custom/template-setting.vue'
import MarkdownSetting from './markdown-setting.vue'

/** Each form has FieldSettingsProps and FieldSettingsEmits; null if the type has no settings. */
const FORMS: Readonly<Record<FieldTypeName, Component | null>> = {
  text: MarkdownSetting,
  chat: MarkdownSetting,
  image: null,
  custom: TemplateSetting,
}

export const fieldSettingsOf = ({ settings }: Pick<Field, 'settings'>): Component | null => FORMS[settings.type]
