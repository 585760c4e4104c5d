/** What crosses from the thread that speaks HTTP to the thread that answers, and back: bytes and small plain values only. */
import type { Actor } from '@postil/domain/permissions'

export interface Call {
  routeId: string
  params: Record<string, string>
  /** The query string as sent. */
  search: string
  contentType: string | null
  body: Uint8Array | null
  /** Null when no credentials were accepted; then `refusal` says why. */
  actor: Actor | null
  refusal: string | null
  requestId: string
}

export interface Reply {
  status: number
  contentType: string | null
  body: Uint8Array | null
  /** The connection ends after this reply: something is wrong that may not be over. */
  close?: boolean
}

const encoder = new TextEncoder()

export const textReply = (status: number, text: string, contentType = 'application/json'): Reply => ({
  status,
  contentType,
  body: encoder.encode(text),
})

export const jsonReply = (status: number, value: unknown): Reply => textReply(status, JSON.stringify(value))
