import type { Field } from '@postil/domain/fields'
import type { FieldTypeName } from '@postil/domain/fields/registry'
import ChatView from './chat/chat-view.vue'
import { prepareChat } from './chat/prepare-chat.ts'
import { turnsToText } from './chat/turns.ts'
import CustomView from './custom/custom-view.vue'
import type { FieldViewer } from './field-viewer.ts'
import { decodeAhead } from './image/decoded.ts'
import ImageView from './image/image-view.vue'
import { prepareMarkdown } from './markdown.ts'
import TextView from './text/text-view.vue'
import { toPlainText } from './text/to-plain-text.ts'
import { FIELD_BADGES } from './type-badges.ts'
import { usesMarkdown } from './uses-markdown.ts'

/** The viewer of every field type. */
const VIEWERS: Record<FieldTypeName, FieldViewer> = {
  text: {
    view: TextView,
    ...FIELD_BADGES.text,
    isSearched: true,
    toText: toPlainText,
    prepare: (value, field) => {
      if (usesMarkdown(field)) void prepareMarkdown(toPlainText(value))
    },
  },
  chat: { view: ChatView, ...FIELD_BADGES.chat, isSearched: true, toText: turnsToText, prepare: prepareChat },
  image: { view: ImageView, ...FIELD_BADGES.image, isSearched: false, toText: toPlainText, prepare: decodeAhead },
  custom: { view: CustomView, ...FIELD_BADGES.custom, isSearched: true, toText: toPlainText },
}

export const fieldViewerOf = (field: Pick<Field, 'settings'>): FieldViewer => VIEWERS[field.settings.type]
