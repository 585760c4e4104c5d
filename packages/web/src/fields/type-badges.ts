/** Picture and name of every field type, apart from the viewers: lists of datasets show them without loading any viewer. */
import { AppWindow, Image, MessagesSquare, Type } from '@lucide/vue'
import type { Field } from '@postil/domain/fields'
import type { FieldTypeName } from '@postil/domain/fields/registry'
import type { MessageKey } from '../i18n/i18n.ts'
import type { FieldViewer } from './field-viewer.ts'
import { usesMarkdown } from './uses-markdown.ts'

export type FieldBadge = Pick<FieldViewer, 'icon' | 'typeName'>

export const FIELD_BADGES: Readonly<Record<FieldTypeName, FieldBadge>> = {
  text: { icon: Type, typeName: 'fields.type_text' },
  chat: { icon: MessagesSquare, typeName: 'fields.type_chat' },
  image: { icon: Image, typeName: 'fields.type_image' },
  custom: { icon: AppWindow, typeName: 'fields.type_custom' },
}

/** What a reader wants to know of a field beside its title; of plain text nothing. */
export function fieldKindOf(field: Field): MessageKey | null {
  if (field.settings.type !== 'text') return fieldBadgeOf(field).typeName
  return usesMarkdown(field) ? 'fields.type_markdown' : null
}

export const fieldBadgeOf = ({ settings }: Pick<Field, 'settings'>): FieldBadge => FIELD_BADGES[settings.type]
