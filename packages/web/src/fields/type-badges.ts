/** Icons and names of the field types, separate from the viewers, so that lists of datasets do not load any viewer. */
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

/** Type shown beside the title of a field; null for plain text. */
export function fieldKindOf(field: Field): MessageKey | null {
  if (field.settings.type !== 'text') return fieldBadgeOf(field).typeName
  return usesMarkdown(field) ? 'fields.type_markdown' : null
}

export const fieldBadgeOf = ({ settings }: Pick<Field, 'settings'>): FieldBadge => FIELD_BADGES[settings.type]
