/** Form state of a webhook, with its validation and the changed fields. */
import { codePointLength } from '@postil/domain/code-points'
import { DomainError, ShapeError } from '@postil/domain/errors'
import type { EventName } from '@postil/domain/events'
import type { Webhook, WebhookUpdate } from '@postil/domain/webhooks'
import type { MessageKey } from '../../../i18n/i18n.ts'

export interface WebhookDraft {
  url: string
  events: EventName[]
  description: string
}

export type DraftField = keyof WebhookDraft
const FIELDS: readonly DraftField[] = ['url', 'events', 'description']

/** Limits of the API contract. */
const URL_MAX = 2083
const DESCRIPTION_MAX = 1000

export const toDraft = (webhook: Webhook | null): WebhookDraft => ({
  url: webhook?.url ?? '',
  events: [...(webhook?.events ?? [])],
  description: webhook?.description ?? '',
})

export function draftIssues({ url, events, description }: WebhookDraft): Partial<Record<DraftField, MessageKey>> {
  return {
    ...(isWebUrl(url.trim()) ? {} : { url: 'admin.url_issue' as const }),
    ...(events.length > 0 ? {} : { events: 'admin.events_issue' as const }),
    ...(codePointLength(description.trim()) <= DESCRIPTION_MAX ? {} : { description: 'admin.description_issue' as const }),
  }
}

function isWebUrl(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && ['http:', 'https:'].includes(url.protocol) && text.length <= URL_MAX
}

export const toCreate = ({ url, events, description }: WebhookDraft) => ({
  url: url.trim(),
  events,
  description: description.trim() || null,
})

/** Returns only the changed fields, so that changes by another owner are not overwritten; null if nothing changed. */
export function toUpdate(webhook: Webhook, draft: WebhookDraft): WebhookUpdate | null {
  const { url, events, description } = toCreate(draft)
  const isSame = events.length === webhook.events.length && events.every(event => webhook.events.includes(event))
  const update: WebhookUpdate = {
    ...(url === webhook.url ? {} : { url }),
    ...(isSame ? {} : { events }),
    ...(description === webhook.description ? {} : { description }),
  }
  return Object.keys(update).length === 0 ? null : update
}

/** Returns the form field that the server's error is about. */
export function fieldOf(error: unknown): DraftField | null {
  const steps =
    error instanceof ShapeError ? error.problems.flatMap(({ loc }) => loc) : error instanceof DomainError ? [...error.at] : []
  return FIELDS.find(field => steps.includes(field)) ?? null
}
