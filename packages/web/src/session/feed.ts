/**
 * News from the server about datasets, as they happen. Only the tab that leads holds streams, and few of them: a browser has
 * six connections to a server over HTTP/1.1, and the answers need theirs. The other tabs hear the news from it.
 */
import { watch } from 'vue'
import { SERVER_URL } from '../server-address.ts'
import type { Session } from './session.ts'

const EVENTS = ['progress', 'record-completed', 'settings-changed', 'dataset-deleted', 'comment'] as const
export type FeedEvent = (typeof EVENTS)[number]

type Hear = (event: FeedEvent, data: unknown) => void

export interface Feed {
  /** Calls back until what it answers is called. */
  listen(datasetId: string, hear: Hear): () => void
  /** News of this dataset come by themselves; of others a page has to ask. */
  isLive(datasetId: string): boolean
  close(): void
}

interface News {
  datasetId: string
  event: FeedEvent
  data: unknown
}
interface Wish {
  tab: string
  datasetIds: string[]
}

const STREAMS_MAX = 2
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000

function openFeed(session: Session): Feed {
  const { tabs, state } = session
  const hearers = new Map<string, Set<Hear>>()
  /** What the other tabs show, the latest wish last. */
  const wishes = new Map<string, string[]>()
  const streams = new Map<string, { close(): void }>()
  /** Datasets whose news come, as the leader says. */
  let live = new Set<string>()

  const tell = ({ datasetId, event, data }: News) => {
    for (const hear of hearers.get(datasetId) ?? []) hear(event, data)
  }
  const wish = () => tabs.tell('feed.wish', { tab: tabs.id, datasetIds: [...hearers.keys()] } satisfies Wish)
  const isLeading = () => tabs.isLeader.value && state.value === 'open'

  function arrange(): void {
    const wanted = [...new Set([...hearers.keys(), ...[...wishes.values()].reverse().flat()])]
    const chosen = new Set(isLeading() ? wanted.slice(0, STREAMS_MAX) : [])
    for (const [datasetId, stream] of streams) {
      if (chosen.has(datasetId)) continue
      stream.close()
      streams.delete(datasetId)
    }
    for (const datasetId of chosen) if (!streams.has(datasetId)) streams.set(datasetId, openStream(datasetId, onNews, sayLive))
    sayLive()
  }

  const opened = new Set<string>()
  function sayLive(datasetId?: string, isOpen?: boolean): void {
    if (datasetId !== undefined && isOpen) opened.add(datasetId)
    else if (datasetId !== undefined) opened.delete(datasetId)
    if (!tabs.isLeader.value) return
    live = new Set([...streams.keys()].filter(id => opened.has(id)))
    tabs.tell('feed.live', [...live])
  }
  function onNews(news: News): void {
    tabs.tell('feed.news', news)
    tell(news)
  }

  function listen(datasetId: string, hear: Hear): () => void {
    const all = hearers.get(datasetId) ?? new Set()
    hearers.set(datasetId, all.add(hear))
    wish()
    arrange()
    return () => {
      all.delete(hear)
      if (all.size === 0) hearers.delete(datasetId)
      wish()
      arrange()
    }
  }

  const stops = [
    tabs.listen<News>('feed.news', tell),
    tabs.listen<string[]>('feed.live', ids => {
      live = new Set(ids)
    }),
    tabs.listen<null>('feed.ask', wish),
    tabs.listen<Wish>('feed.wish', ({ tab, datasetIds }) => {
      wishes.delete(tab)
      if (datasetIds.length > 0) wishes.set(tab, datasetIds)
      arrange()
    }),
    watch([tabs.isLeader, state], () => {
      live = new Set()
      if (tabs.isLeader.value) tabs.tell('feed.ask', null)
      arrange()
    }),
  ]
  const leave = () => tabs.tell('feed.wish', { tab: tabs.id, datasetIds: [] } satisfies Wish)
  addEventListener('pagehide', leave)

  return {
    listen,
    isLive: datasetId => live.has(datasetId),
    close: () => {
      leave()
      removeEventListener('pagehide', leave)
      for (const stop of stops) stop()
      for (const stream of streams.values()) stream.close()
    },
  }
}

/** A browser gives up a stream after an answer that is not a stream; this one asks again, after ever longer pauses. */
function openStream(datasetId: string, onNews: (news: News) => void, onState: (datasetId: string, isOpen: boolean) => void) {
  let source: EventSource
  let failures = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  function connect(): void {
    source = new EventSource(`${SERVER_URL}/api/v1/me/datasets/${datasetId}/events`)
    source.addEventListener('open', () => {
      failures = 0
      onState(datasetId, true)
    })
    source.addEventListener('error', () => {
      onState(datasetId, false)
      if (source.readyState !== EventSource.CLOSED) return
      timer = setTimeout(connect, Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures++))
    })
    for (const event of EVENTS)
      source.addEventListener(event, ({ data }: MessageEvent<string>) => onNews({ datasetId, event, data: JSON.parse(data) }))
  }
  connect()
  return {
    close: () => {
      clearTimeout(timer)
      source.close()
      onState(datasetId, false)
    },
  }
}

export const feedOf = (session: Session): Feed => session.own(openFeed)
