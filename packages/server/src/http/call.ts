/** What crosses from the thread that speaks HTTP to the thread that answers, and back: bytes and small plain values only. */
import type { Actor } from '@postil/domain/permissions'
import type { Headers, OnWriter } from '../lib/answer.ts'
import type { Sender } from './sender.ts'

export interface Call {
  routeId: string
  params: Record<string, string>
  /** The query string as sent. */
  search: string
  contentType: string | null
  body: Uint8Array | null
  /** In place of the body: what the checker thread has read and checked (`checked-input.ts`). */
  checked?: Uint8Array
  /** Null when no credentials were accepted; then `refusal` says why. */
  actor: Actor | null
  refusal: string | null
  sender: Sender
  requestId: string
}

export interface Reply {
  status: number
  contentType: string | null
  body: Uint8Array | null
  headers?: Headers
  /** What is to be done next instead of sending this; only in replies that were made where HTTP is spoken. */
  next?: OnWriter
  /** The connection ends after this reply: something is wrong that may not be over. */
  close?: boolean
}

const encoder = new TextEncoder()

/** The call of a route that goes on where `call` stopped. */
export const toInnerCall = (call: Call, { route, body }: OnWriter): Call => ({
  ...call,
  routeId: route.id,
  params: {},
  search: '',
  contentType: 'application/json',
  // A copy in memory of its own, because that is handed over to the other thread.
  body: new Uint8Array(encoder.encode(JSON.stringify(body))),
})

export const textReply = (status: number, text: string, contentType = 'application/json'): Reply => ({
  status,
  contentType,
  body: encoder.encode(text),
})

export const jsonReply = (status: number, value: unknown): Reply => textReply(status, JSON.stringify(value))
