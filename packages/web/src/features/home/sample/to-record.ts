import type { RecordCreate } from '@postil/client'
import { ASPECTS, type Letter, type Mention, type Mood, TOPICS } from './letter.ts'
import { drawPicture } from './pictures.ts'
import { VECTOR_NAME } from './settings.ts'

/** Fictional model names, one for each kind of suggestion. */
const AGENTS = {
  topic: 'letter-sorter-2',
  mood: 'mood-reader',
  rating: 'reply-judge',
  improve: 'reply-judge',
  better: 'reply-writer',
  mentions: 'entity-marker',
}
export type QuestionName = keyof typeof AGENTS

export function toRecord(letter: Letter, number: number, questionIds: Readonly<Record<QuestionName, string>>): RecordCreate {
  const { topic, moods, rating, improve, better } = letter
  const suggestion = (name: QuestionName, value: unknown, score: number | number[]) => ({
    question_id: questionIds[name],
    type: 'model' as const,
    agent: AGENTS[name],
    value: value as NonNullable<RecordCreate['suggestions']>[number]['value'],
    score,
  })
  return {
    external_id: `letter-${String(number).padStart(2, '0')}`,
    fields: fieldsOf(letter),
    metadata: { language: letter.language, days_waiting: letter.days, order_value: letter.value },
    vectors: { [VECTOR_NAME]: vectorOf(letter) },
    suggestions: [
      suggestion('topic', ...topic),
      suggestion(
        'mood',
        moods.map(([mood]) => mood),
        moods.map(([, score]) => score),
      ),
      suggestion('rating', ...rating),
      suggestion(
        'improve',
        improve.map((value, i) => ({ value, rank: i + 1 })),
        ASPECTS.map((_, i) => 0.9 - i * 0.15),
      ),
      suggestion('better', better, rating[1]),
      suggestion(
        'mentions',
        findMentions(letter.letter, letter.mentions),
        letter.mentions.map(([, , score]) => score),
      ),
    ],
  }
}

function fieldsOf({ letter, reply, chat, picture, order }: Letter): RecordCreate['fields'] {
  return {
    letter,
    reply,
    ...(chat && { chat: chat.map(([role, content]) => ({ role, content })) }),
    ...(picture && { picture: drawPicture(picture) }),
    ...(order && {
      order: {
        number: order.number,
        state: order.state,
        items: order.items.map(([name, count, price]) => ({ name, count, price: `${price.toFixed(2)} €` })),
      },
    }),
  }
}

/** Offsets count code points, as in the API, so that an emoji before a span does not shift it. */
export const findMentions = (text: string, mentions: readonly [Mention, text: string, score: number][]) =>
  mentions.map(([label, words]) => {
    const at = text.indexOf(words)
    if (at === -1) throw new Error(`The letter does not hold “${words}”`)
    const start = Array.from(text.slice(0, at)).length
    return { label, start, end: start + Array.from(words).length }
  })

const STRENGTHS: Record<Mood, number> = {
  friendly: 0.5,
  grateful: 1,
  impatient: -0.6,
  disappointed: -1,
  worried: -0.4,
  ironic: -0.5,
}

/** Vector of the topic's scores, the mood and the waiting time, so that similar letters are close together. */
function vectorOf({ topic: [topic, score], moods, days }: Letter): number[] {
  const others = (1 - score) / (TOPICS.length - 1)
  const mood = moods.reduce((sum, [name, weight]) => sum + STRENGTHS[name] * weight, 0) / moods.length
  return [...TOPICS.map(name => (name === topic ? score : others)), mood * 0.5, Math.min(days, 30) / 60]
}
