/** Interface of a field type for the pages; `registry.ts` has one for each type. */
import type { Field } from '@postil/domain/fields'
import type { DatasetRecord } from '@postil/domain/records'
import type { Component } from 'vue'
import type { MessageKey } from '../i18n/i18n.ts'
import type { Session } from '../session/session.ts'
import type { ImageHosts } from './image-hosts.ts'

export interface FieldViewer {
  /** Component with FieldViewerProps. */
  view: Component
  icon: Component
  typeName: MessageKey
  /** True if text search includes these fields. */
  isSearched: boolean
  /** Plain text for *copy* and one-line summaries. */
  toText(value: unknown): string
  /** Prefetches for the next record: decodes images of allowed hosts, parses markdown. */
  prepare?(value: unknown, field: Field, context: PrepareContext): void
}

export interface PrepareContext {
  session: Session
  hosts: ImageHosts
}

/** Search hits in a field. */
export interface Highlight {
  /** Ranges in code points, from the server; null if it sent none for this field. */
  ranges: readonly (readonly [number, number])[] | null
  /** Terms of the query; `isPrefix` for `word*`. */
  terms: readonly { text: string; isPrefix: boolean }[]
}

export interface FieldViewerProps {
  field: Field
  value: unknown
  record: DatasetRecord
  highlight: Highlight | null
  /** True in a list of records: less height, no tools. */
  isCompact: boolean
  /** True if other fields follow. A long chat then folds its older messages, so that the other fields come into view. */
  isFollowed?: boolean
}
