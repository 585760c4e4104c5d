/** What one sample record is made of; `to-record.ts` turns it into a record with suggestions, metadata and a vector. */
export const TOPICS = ['repair', 'delivery', 'warranty', 'advice', 'billing', 'praise'] as const
export type Topic = (typeof TOPICS)[number]

export const MOODS = ['friendly', 'grateful', 'impatient', 'disappointed', 'worried', 'ironic'] as const
export type Mood = (typeof MOODS)[number]

/** What can be wrong with a reply. */
export const ASPECTS = ['facts', 'tone', 'next_step', 'length'] as const
export type Aspect = (typeof ASPECTS)[number]

export const MENTIONS = ['bicycle', 'part', 'date', 'amount', 'order', 'place'] as const
export type Mention = (typeof MENTIONS)[number]

export type Picture = 'bicycle' | 'wheel' | 'chain' | 'parcel' | 'invoice'

export interface Letter {
  language: string
  /** How long the customer has been waiting. */
  days: number
  /** Of the order, in euros. */
  value: number
  letter: string
  /** The reply that a model proposes; markdown. */
  reply: string
  /** What the reply could be instead. */
  better: string
  topic: [Topic, score: number]
  moods: [Mood, score: number][]
  rating: [stars: number, score: number]
  /** From what should be improved first. */
  improve: [Aspect, Aspect, Aspect, Aspect]
  /** Texts as they stand in the letter, each at its first place. */
  mentions: [Mention, text: string, score: number][]
  chat?: [role: 'customer' | 'shop', content: string][]
  picture?: Picture
  order?: { number: string; state: string; items: [name: string, count: number, price: number][] }
}
