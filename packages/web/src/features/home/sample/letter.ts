/** Source of one sample record; `to-record.ts` turns it into a record with suggestions, metadata and a vector. */
export const TOPICS = ['repair', 'delivery', 'warranty', 'advice', 'billing', 'praise'] as const
export type Topic = (typeof TOPICS)[number]

export const MOODS = ['friendly', 'grateful', 'impatient', 'disappointed', 'worried', 'ironic'] as const
export type Mood = (typeof MOODS)[number]

/** Aspects of a reply that can need improvement. */
export const ASPECTS = ['facts', 'tone', 'next_step', 'length'] as const
export type Aspect = (typeof ASPECTS)[number]

export const MENTIONS = ['bicycle', 'part', 'date', 'amount', 'order', 'place'] as const
export type Mention = (typeof MENTIONS)[number]

export type Picture = 'bicycle' | 'wheel' | 'chain' | 'parcel' | 'invoice'

export interface Letter {
  language: string
  /** Number of days that the customer has been waiting. */
  days: number
  /** Value of the order, in euros. */
  value: number
  letter: string
  /** Reply proposed by a model, in Markdown. */
  reply: string
  /** Improved version of the reply. */
  better: string
  topic: [Topic, score: number]
  moods: [Mood, score: number][]
  rating: [stars: number, score: number]
  /** Ranked, most urgent first. */
  improve: [Aspect, Aspect, Aspect, Aspect]
  /** Texts that occur in the letter; the first occurrence is marked. */
  mentions: [Mention, text: string, score: number][]
  chat?: [role: 'customer' | 'shop', content: string][]
  picture?: Picture
  order?: { number: string; state: string; items: [name: string, count: number, price: number][] }
}
