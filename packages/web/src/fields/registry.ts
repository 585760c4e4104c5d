import type { Field } from '@postil/domain/fields'
import type { FieldTypeName } from '@postil/domain/fields/registry'
import { lazy } from '../components/lazy.ts'
import { prepareChat } from './chat/prepare-chat.ts'
import { turnsToText } from './chat/turns.ts'
import type { FieldViewer } from './field-viewer.ts'
import { decodedOf } from './image/decoded.ts'
import { markdownOf } from './markdown.ts'
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
    prepare: (value, field, { session }) => {
      if (usesMarkdown(field)) void markdownOf(session).prepare(toPlainText(value))
    },
  },
  chat: {
    view: lazy(() => import('./chat/chat-view.vue')),
    ...FIELD_BADGES.chat,
    isSearched: true,
    toText: turnsToText,
    prepare: prepareChat,
  },
  image: {
    view: lazy(() => import('./image/image-view.vue')),
    ...FIELD_BADGES.image,
    isSearched: false,
    toText: toPlainText,
    prepare: (value, _field, { session, hosts }) => decodedOf(session).decodeAhead(value, hosts),
  },
  custom: { view: lazy(() => import('./custom/custom-view.vue')), ...FIELD_BADGES.custom, isSearched: true, toText: toPlainText },
}

export const fieldViewerOf = (field: Pick<Field, 'settings'>): FieldViewer => VIEWERS[field.settings.type]
