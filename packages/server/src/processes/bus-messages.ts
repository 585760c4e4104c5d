/** Messages between processes, and their encoding in NOTIFY payloads. */
import type { Id } from '@postil/domain/schema'
import type { Notice } from '../events/emit.ts'

export interface BusNews {
  /** Numbers of the newest entries of the logs that have grown. */
  heads: Map<Id, number>
  notices: Notice[]
  /** True if jobs were queued. */
  hasJobs: boolean
  /** True if webhooks were changed. */
  hasWebhooks: boolean
  /** True if messages were lost: anything may have changed, so the receiver must check everything. */
  isLost: boolean
}

export const emptyNews = (): BusNews => ({ heads: new Map(), notices: [], hasJobs: false, hasWebhooks: false, isLost: false })

export const isEmpty = ({ heads, notices, hasJobs, hasWebhooks, isLost }: BusNews): boolean =>
  heads.size + notices.length === 0 && !hasJobs && !hasWebhooks && !isLost

/** Merges `more` into `news`. */
export function addNews(news: BusNews, more: Partial<BusNews>): void {
  for (const [id, changeNo] of more.heads ?? []) news.heads.set(id, Math.max(news.heads.get(id) ?? 0, changeNo))
  for (const notice of more.notices ?? []) news.notices.push(notice)
  news.hasJobs ||= more.hasJobs ?? false
  news.hasWebhooks ||= more.hasWebhooks ?? false
  news.isLost ||= more.isLost ?? false
}

/** PostgreSQL rejects a payload of 8,000 bytes or more. */
const PAYLOAD_BYTES_MAX = 7_900
/** If there are more payloads, `LOST` is sent instead. */
const PAYLOADS_MAX = 16
/** Replaces messages that are too many or too large to send. */
const LOST = JSON.stringify([['lost']])

type Item = ['head', Id, number] | ['notice', Notice] | ['jobs'] | ['webhooks'] | ['lost']

/** Encodes the news as one or more payloads. */
export function packNews(news: BusNews): string[] {
  if (news.isLost) return [LOST]
  const texts = toItems(news).map(item => JSON.stringify(item))
  const payloads: string[] = []
  let [part, bytes]: [string[], number] = [[], 2]
  for (const text of texts) {
    const size = Buffer.byteLength(text) + 1
    if (size + 2 > PAYLOAD_BYTES_MAX) return [LOST]
    if (bytes + size > PAYLOAD_BYTES_MAX) {
      payloads.push(`[${part.join()}]`)
      ;[part, bytes] = [[], 2]
    }
    part.push(text)
    bytes += size
  }
  if (part.length > 0) payloads.push(`[${part.join()}]`)
  return payloads.length > PAYLOADS_MAX ? [LOST] : payloads
}

function toItems({ heads, notices, hasJobs, hasWebhooks }: BusNews): Item[] {
  return [
    ...[...heads].map(([id, changeNo]): Item => ['head', id, changeNo]),
    ...notices.map((notice): Item => ['notice', notice]),
    ...(hasJobs ? [['jobs'] satisfies Item] : []),
    ...(hasWebhooks ? [['webhooks'] satisfies Item] : []),
  ]
}

/** Decodes a payload. An unreadable one comes from another release and counts as lost messages. */
export function unpackNews(payload: string): BusNews {
  const news = emptyNews()
  let items: unknown
  try {
    items = JSON.parse(payload)
  } catch {
    items = null
  }
  if (!Array.isArray(items)) return { ...news, isLost: true }
  for (const item of items as Item[]) addItem(news, item)
  return news
}

function addItem(news: BusNews, item: Item): void {
  const [kind] = item
  if (kind === 'head') addNews(news, { heads: new Map([[item[1], item[2]]]) })
  else if (kind === 'notice') addNews(news, { notices: [item[1]] })
  else if (kind === 'jobs') addNews(news, { hasJobs: true })
  else if (kind === 'webhooks') addNews(news, { hasWebhooks: true })
  else addNews(news, { isLost: true })
}
