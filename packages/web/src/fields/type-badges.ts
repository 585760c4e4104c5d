/** Picture and name of every field type, apart from the viewers: lists of datasets show them without loading any viewer. */
import { AppWindow, Image, MessagesSquare, Type } from '@lucide/vue'
import type { Field } from '@postil/domain/fields'
import type { FieldTypeName } from '@postil/domain/fields/registry'
import type { FieldViewer } from './field-viewer.ts'

export type FieldBadge = Pick<FieldViewer, 'icon' | 'typeName'>

export const FIELD_BADGES: Readonly<Record<FieldTypeName, FieldBadge>> = {
  text: { icon: Type, typeName: 'fields.type_text' },
  chat: { icon: MessagesSquare, typeName: 'fields.type_chat' },
  image: { icon: Image, typeName: 'fields.type_image' },
  custom: { icon: AppWindow, typeName: 'fields.type_custom' },
}

export const fieldBadgeOf = ({ settings }: Pick<Field, 'settings'>): FieldBadge => FIELD_BADGES[settings.type]
