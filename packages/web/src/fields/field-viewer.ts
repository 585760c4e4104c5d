/** What the pages need to know of a field type; `registry.ts` has one for each. */
import type { Field } from '@postil/domain/fields'
import type { DatasetRecord } from '@postil/domain/records'
import type { Component } from 'vue'
import type { MessageKey } from '../i18n/i18n.ts'
import type { Session } from '../session/session.ts'
import type { ImageHosts } from './image-hosts.ts'

export interface FieldViewer {
  /** Takes FieldViewerProps. */
  view: Component
  icon: Component
  typeName: MessageKey
  /** Text search looks into such fields. */
  isSearched: boolean
  /** Plain text for *copy* and one-line summaries. */
  toText(value: unknown): string
  /** Gets ready for a record that comes next: decodes images of allowed hosts, parses markdown. */
  prepare?(value: unknown, field: Field, context: PrepareContext): void
}

export interface PrepareContext {
  session: Session
  hosts: ImageHosts
}

/** What a search found in a field. */
export interface Highlight {
  /** Code points, from the server; null when it gave none for this field. */
  ranges: readonly (readonly [number, number])[] | null
  /** Words of the query, `isPrefix` for `word*`. */
  terms: readonly { text: string; isPrefix: boolean }[]
}

export interface FieldViewerProps {
  field: Field
  value: unknown
  record: DatasetRecord
  highlight: Highlight | null
  /** In a list of many: less height, no tools. */
  isCompact: boolean
}
