import type { Field } from '@postil/domain/fields'
import type { FieldTypeName } from '@postil/domain/fields/registry'
import { AppWindow, Image, MessagesSquare, Type } from '@lucide/vue'
import ChatView from './chat/chat-view.vue'
import { turnsToText } from './chat/turns.ts'
import { prepareChat } from './chat/prepare-chat.ts'
import CustomView from './custom/custom-view.vue'
import type { FieldViewer } from './field-viewer.ts'
import { decodeAhead } from './image/decoded.ts'
import ImageView from './image/image-view.vue'
import { prepareMarkdown } from './markdown.ts'
import TextView from './text/text-view.vue'
import { toPlainText } from './text/to-plain-text.ts'
import { usesMarkdown } from './uses-markdown.ts'

/** The viewer of every field type. */
const VIEWERS: Record<FieldTypeName, FieldViewer> = {
  text: {
    view: TextView,
    icon: Type,
    typeName: 'fields.type_text',
    isSearched: true,
    toText: toPlainText,
    prepare: (value, field) => {
      if (usesMarkdown(field)) void prepareMarkdown(toPlainText(value))
    },
  },
  chat: { view: ChatView, icon: MessagesSquare, typeName: 'fields.type_chat', isSearched: true, toText: turnsToText, prepare: prepareChat },
  image: { view: ImageView, icon: Image, typeName: 'fields.type_image', isSearched: false, toText: toPlainText, prepare: decodeAhead },
  custom: { view: CustomView, icon: AppWindow, typeName: 'fields.type_custom', isSearched: true, toText: toPlainText },
}

export const fieldViewerOf = (field: Pick<Field, 'settings'>): FieldViewer => VIEWERS[field.settings.type]
