/**
 * Messages between the page and a template's frame. The page treats messages as untrusted input: a template may send anything, so
 * a message can only set a height, show a text or prove that the frame responds.
 */
import type { Terms } from '../find-hits.ts'

export interface Look {
  theme: 'light' | 'dark' | 'contrast'
  language: string
  dir: 'ltr' | 'rtl'
  /** Search terms to highlight. */
  words: Terms
}

export type ToFrame =
  | ({ type: 'show'; sequence: number; template: string; advanced: boolean; record: unknown } & Look)
  | ({ type: 'look' } & Look)
  | { type: 'ping' }

export type FromFrame =
  | { type: 'ready' }
  | { type: 'pong' }
  | { type: 'done'; sequence: number }
  | { type: 'height'; height: number }
  | { type: 'error'; message: string }
  /** URL of a library that this server has no copy of. */
  | { type: 'missing'; address: string }
  /** URL of an image, audio or video that the frame's policy blocked. */
  | { type: 'refused'; url: string }

const HEIGHT_MIN = 40
const HEIGHT_MAX = 4000
const MESSAGE_LENGTH_MAX = 500

/** Returns null if the data is not a valid message. */
export function readFrameMessage(data: unknown): FromFrame | null {
  if (typeof data !== 'object' || data === null) return null
  const { type, height, message, sequence, address, url } = data as Record<string, unknown>
  if (type === 'ready' || type === 'pong') return { type }
  if (type === 'done' && typeof sequence === 'number') return { type, sequence }
  if (type === 'height' && typeof height === 'number' && Number.isFinite(height)) {
    return { type, height: Math.min(HEIGHT_MAX, Math.max(HEIGHT_MIN, Math.ceil(height))) }
  }
  if (type === 'missing' && typeof address === 'string') return { type, address: address.slice(0, MESSAGE_LENGTH_MAX) }
  if (type === 'refused' && typeof url === 'string' && URL.canParse(url)) return { type, url: new URL(url).origin }
  if (type === 'error' && typeof message === 'string') return { type, message: message.slice(0, MESSAGE_LENGTH_MAX) }
  return null
}
