/**
 * What the page and a template's frame say to each other. The page believes nothing it hears: a template may send whatever it
 * likes, so a message is at most a height, a text to show, or a sign of life.
 */
import type { Terms } from '../find-hits.ts'

export interface Look {
  theme: 'light' | 'dark' | 'contrast'
  language: string
  dir: 'ltr' | 'rtl'
  /** Words of a search, to be marked. */
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
  /** A library that this server has no copy of. */
  | { type: 'missing'; address: string }
  /** An image, sound or video that the frame's policy refused. */
  | { type: 'refused'; url: string }

const HEIGHT_MIN = 40
const HEIGHT_MAX = 4000
const MESSAGE_LENGTH_MAX = 500

/** Null for anything that is not one of ours. */
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
