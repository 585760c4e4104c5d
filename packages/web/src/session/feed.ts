/**
 * Live events about datasets (server-sent events). Only the leader tab opens streams, and only a few: over HTTP/1.1 a browser has
 * six connections per server, and answers need some of them. The leader forwards events to the other tabs.
 */
import { watch } from 'vue'
import { SERVER_URL } from '../server-address.ts'
import type { Session } from './session.ts'

const EVENTS = ['progress', 'record-completed', 'settings-changed', 'dataset-deleted', 'comment', 'job'] as const
export type FeedEvent = (typeof EVENTS)[number]

type FeedListener = (event: FeedEvent, data: unknown) => void

export interface Feed {
  /** Subscribes to events of a dataset. Returns a function that unsubscribes. */
  listen(datasetId: string, hear: FeedListener): () => void
  /** True if events of this dataset are delivered. Pages poll for other datasets. */
  isLive(datasetId: string): boolean
  close(): void
}

interface FeedMessage {
  datasetId: string
  event: FeedEvent
  data: unknown
}
interface StreamRequest {
  tab: string
  datasetIds: string[]
}

const STREAMS_MAX = 2
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000

function openFeed(session: Session): Feed {
  const { tabs, state } = session
  const listeners = new Map<string, Set<FeedListener>>()
  /** Datasets that the other tabs show, most recent request last. */
  const requestsByTab = new Map<string, string[]>()
  const streams = new Map<string, { close(): void }>()
  /** Datasets with an open stream, as reported by the leader. */
  let live = new Set<string>()

  const notify = ({ datasetId, event, data }: FeedMessage) => {
    for (const hear of listeners.get(datasetId) ?? []) hear(event, data)
  }
  const sendRequest = () => tabs.tell('feed.wish', { tab: tabs.id, datasetIds: [...listeners.keys()] } satisfies StreamRequest)
  const isLeading = () => tabs.isLeader.value && state.value === 'open'

  function updateStreams(): void {
    const wanted = [...new Set([...listeners.keys(), ...[...requestsByTab.values()].reverse().flat()])]
    const chosen = new Set(isLeading() ? wanted.slice(0, STREAMS_MAX) : [])
    for (const [datasetId, stream] of streams) {
      if (chosen.has(datasetId)) continue
      stream.close()
      streams.delete(datasetId)
    }
    for (const datasetId of chosen)
      if (!streams.has(datasetId))
        streams.set(datasetId, openStream({ datasetId, userId: session.userId }, onMessage, reportLive))
    reportLive()
  }

  const opened = new Set<string>()
  function reportLive(datasetId?: string, isOpen?: boolean): void {
    if (datasetId !== undefined && isOpen) opened.add(datasetId)
    else if (datasetId !== undefined) opened.delete(datasetId)
    if (!tabs.isLeader.value) return
    live = new Set([...streams.keys()].filter(id => opened.has(id)))
    tabs.tell('feed.live', [...live])
  }
  function onMessage(news: FeedMessage): void {
    tabs.tell('feed.news', news)
    notify(news)
  }

  function listen(datasetId: string, hear: FeedListener): () => void {
    const all = listeners.get(datasetId) ?? new Set()
    listeners.set(datasetId, all.add(hear))
    sendRequest()
    updateStreams()
    return () => {
      all.delete(hear)
      if (all.size === 0) listeners.delete(datasetId)
      sendRequest()
      updateStreams()
    }
  }

  const stops = [
    tabs.listen<FeedMessage>('feed.news', notify),
    tabs.listen<string[]>('feed.live', ids => {
      live = new Set(ids)
    }),
    tabs.listen<null>('feed.ask', sendRequest),
    tabs.listen<StreamRequest>('feed.wish', ({ tab, datasetIds }) => {
      requestsByTab.delete(tab)
      if (datasetIds.length > 0) requestsByTab.set(tab, datasetIds)
      updateStreams()
    }),
    watch([tabs.isLeader, state], () => {
      live = new Set()
      if (tabs.isLeader.value) tabs.tell('feed.ask', null)
      updateStreams()
    }),
  ]
  const leave = () => tabs.tell('feed.wish', { tab: tabs.id, datasetIds: [] } satisfies StreamRequest)
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

/**
 * Opens an event stream with reconnects and exponential backoff. `EventSource` alone gives up after a response that is not a
 * stream.
 */
function openStream(
  { datasetId, userId }: { datasetId: string; userId: string },
  onNews: (news: FeedMessage) => void,
  onState: (datasetId: string, isOpen: boolean) => void,
) {
  let source: EventSource
  let failures = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  function connect(): void {
    source = new EventSource(`${SERVER_URL}/api/v1/me/datasets/${datasetId}/events?user_id=${userId}`)
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
