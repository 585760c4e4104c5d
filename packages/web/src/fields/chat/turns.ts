/** Messages of a chat field with role, side and colour. */

export interface Turn {
  role: string
  content: string
  /** True if the previous message has the same role, so that its name is not repeated. */
  isRun: boolean
  side: 'start' | 'end'
  /** Colour number, 1 to 5. */
  colour: number
  /** Pretty-printed JSON if the content is structured, such as a tool call or its result; null for plain text. */
  json: string | null
}

const COLOURS = 5
/** Fixed colours for well-known roles, so that they are the same in every record. */
const KNOWN: Record<string, number> = {
  user: 1,
  human: 1,
  customer: 1,
  prompter: 1,
  assistant: 2,
  agent: 2,
  bot: 2,
  model: 2,
  system: 3,
  developer: 3,
  tool: 4,
  function: 4,
}
/** Longer contents are not parsed as JSON. */
const JSON_LENGTH_MAX = 200_000

const keyOf = (role: string) => role.trim().toLowerCase()
const knownColour = (role: string) => (Object.hasOwn(KNOWN, keyOf(role)) ? KNOWN[keyOf(role)] : undefined)

function toMessages(value: unknown): { role: string; content: string }[] {
  if (typeof value === 'string') return value === '' ? [] : [{ role: 'user', content: value }]
  if (!Array.isArray(value)) return []
  return value.flatMap((message: unknown) => {
    if (typeof message !== 'object' || message === null) return []
    const { role, content } = message as Record<string, unknown>
    const text = typeof content === 'string' ? content : JSON.stringify(content ?? '')
    return [{ role: typeof role === 'string' ? role : '', content: text }]
  })
}

/** Known roles have fixed colours; other roles get the remaining colours in order of appearance. */
function coloursOf(roles: readonly string[]): Map<string, number> {
  const colours = new Map<string, number>()
  for (const role of roles) {
    const known = knownColour(role)
    if (known !== undefined) colours.set(role, known)
  }
  for (const role of roles) {
    if (colours.has(role)) continue
    const taken = new Set(colours.values())
    const free = [1, 2, 3, 4, 5].find(colour => !taken.has(colour))
    colours.set(role, free ?? (colours.size % COLOURS) + 1)
  }
  return colours
}

/** Returns the role on the right. With two roles, the user is on the left; with any other number, all are on the left. */
function rightRole(roles: readonly string[]): string | null {
  const [first, second] = roles
  if (roles.length !== 2 || first === undefined || second === undefined) return null
  return knownColour(second) === 1 && knownColour(first) !== 1 ? first : second
}

export function toTurns(value: unknown): Turn[] {
  const messages = toMessages(value)
  const roles = [...new Set(messages.map(({ role }) => role))]
  const colours = coloursOf(roles)
  const atEnd = rightRole(roles)
  return messages.map(({ role, content }, i) => ({
    role,
    content,
    isRun: messages[i - 1]?.role === role,
    side: role === atEnd ? 'end' : 'start',
    colour: colours.get(role) ?? 1,
    json: toPrettyJson(content),
  }))
}

function toPrettyJson(content: string): string | null {
  if (!/^\s*[[{]/.test(content) || !/[\]}]\s*$/.test(content) || content.length > JSON_LENGTH_MAX) return null
  try {
    return JSON.stringify(JSON.parse(content), null, 2)
  } catch {
    return null
  }
}

/** Longer chats are folded to the last `KEPT_TURNS` messages. A difference of two or three messages is not worth a click. */
const UNFOLDED_MAX = 6
const KEPT_TURNS = 3

/** Number of oldest messages to fold. */
export const foldedCount = (turns: number) => (turns > UNFOLDED_MAX ? turns - KEPT_TURNS : 0)

const LONG_LENGTH = 1500
const LONG_LINES = 18

export const isLong = (content: string) => content.length > LONG_LENGTH || content.split('\n', LONG_LINES + 1).length > LONG_LINES

export const turnsToText = (value: unknown) =>
  toMessages(value)
    .map(({ role, content }) => `${role}: ${content}`)
    .join('\n\n')
