/**
 * A chat is a list of messages, each with a role and a content.
 *
 * For existing clients, problems with messages are reported for the whole `fields` object and before the dataset is read. Length
 * limits of roles and contents are server settings.
 */
import { codePointLength } from '../../code-points.ts'
import { withoutNulls } from '../../columns.ts'
import { invalid, ShapeError, type ShapeProblem } from '../../errors.ts'
import { Bool, type Json, OneOf, Optional, Shape, type Static, Text } from '../../schema.ts'
import type { FieldType } from '../field-type.ts'

export const MESSAGES_MAX = 500

const type = OneOf(['chat'])

const settings = Shape({ type, use_markdown: Bool() })

export const ChatMessage = Shape({ role: Text(), content: Text() })
type ChatMessage = Static<typeof ChatMessage>

/** Limits from the server's settings. */
export interface ChatLimits {
  roleLengthMin: number
  roleLengthMax: number
  contentLengthMin: number
  contentLengthMax: number
}

export const CHAT_LIMITS_DEFAULT: ChatLimits = {
  roleLengthMin: 1,
  roleLengthMax: 20,
  contentLengthMin: 1,
  contentLengthMax: 20_000,
}

const isMessage = (entry: Json): entry is ChatMessage =>
  typeof entry === 'object' &&
  entry !== null &&
  !Array.isArray(entry) &&
  typeof entry.role === 'string' &&
  typeof entry.content === 'string'

export const chat = {
  name: 'chat',
  settings,
  settingsCreate: Shape({ type, use_markdown: Optional(Bool({ default: true })) }),
  settingsUpdate: settings,
  checkValue(value, fieldName) {
    if (!Array.isArray(value)) throw invalid(`Field \`${fieldName}\` expects a list of messages`)
    const problem = messagesProblem(value)
    if (problem !== null) throw invalid(`Field \`${fieldName}\` ${problem}`)
  },
  toStored: value => toMessages(value).map(({ role, content }) => ({ role, content })),
  spanLength: value => (Array.isArray(value) ? value.length : null),
  column: { type: { list: { struct: { role: 'string', content: 'string' } } }, read: withoutNulls },
  searchable: true,
  toText: value => toMessages(value).flatMap(({ role, content }) => [role, content]),
  toMarked: value => toMessages(value).map(({ content }) => content),
} satisfies FieldType<Static<typeof settings>>

const toMessages = (value: Json): ChatMessage[] => (Array.isArray(value) ? value.filter(isMessage) : [])

/** Returns the problem with a list of messages, or null. Does not check lengths. */
export function messagesProblem(messages: readonly Json[]): string | null {
  if (messages.length > MESSAGES_MAX) return `expects at most ${MESSAGES_MAX} messages, not ${messages.length}`
  const wrong = messages.findIndex(message => !isMessage(message))
  return wrong === -1 ? null : `expects messages with \`role\` and \`content\` as texts; message ${wrong} is not one`
}

/** Checks the lengths of all messages in the `fields` of a body or of its items. `loc` is the location for reported problems. */
export function checkMessageLengths(
  bodies: readonly { fields: unknown; loc: readonly (string | number)[] }[],
  limits: ChatLimits,
): void {
  const problems: ShapeProblem[] = []
  for (const { fields, loc } of bodies) {
    const msg = typeof fields === 'object' && fields !== null ? lengthsProblem(fields as { [name: string]: Json }, limits) : null
    if (msg !== null) problems.push({ type: 'value_error', loc: [...loc, 'fields'], msg })
  }
  if (problems.length > 0) throw new ShapeError(problems)
}

function lengthsProblem(fields: { [name: string]: Json }, limits: ChatLimits): string | null {
  for (const [name, value] of Object.entries(fields)) {
    if (!Array.isArray(value)) continue
    for (const [index, { role, content }] of toMessages(value).entries()) {
      const problem =
        lengthProblem('role', role, limits.roleLengthMin, limits.roleLengthMax) ??
        lengthProblem('content', content, limits.contentLengthMin, limits.contentLengthMax)
      if (problem !== null) return `Field \`${name}\`, message ${index}: ${problem}`
    }
  }
  return null
}

function lengthProblem(key: string, text: string, min: number, max: number): string | null {
  // A text has at least half as many code points as code units, so most texts need no counting.
  if (text.length <= max && text.length >= min * 2) return null
  const length = codePointLength(text)
  return length >= min && length <= max ? null : `\`${key}\` should have ${min} to ${max} characters, not ${length}`
}
