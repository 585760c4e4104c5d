/**
 * The tokenizer: the only text analysis in Postil, used for indexing and for queries on every engine.
 *
 * Words follow the word boundaries of UAX 29, with case and accents folded. Scripts that are written without spaces yield one
 * token per character. An emoji is a token, punctuation is not. The token stream is stored joined by blanks, so a token never
 * contains a blank and, of ASCII punctuation, only `_ : . ' , ;`.
 *
 * Every imported word is tokenized. For speed, text is split at ASCII blanks first, and only pieces with other than ASCII
 * characters are normalized.
 */

export const TOKEN_LENGTH_MAX = 255

/**
 * Separates pieces in the index, so that no phrase matches across them. A private use character, so it is never part of a token.
 */
export const PIECE_BREAK = '\u{E000}'

// Role of a character in a word. The bits for joints between letters and between digits are those of letters and digits, shifted
// left by three.
const LETTER = 1
const DIGIT = 2
const CONNECTOR = 4
const LETTER_JOINT = LETTER << 3
const DIGIT_JOINT = DIGIT << 3
const MARK = 32
const UNSPACED = 64
const EMOJI = 128
const REGIONAL = 256
const OTHER = 512
// How folding treats a character: independently, or together with its neighbours.
const FOLDS = 1024
const FOLDS_WITH_OTHERS = 2048
const KIND = FOLDS - 1
const WORD = LETTER | DIGIT | CONNECTOR

const ZERO_WIDTH_JOINER = 0x200d

const JOINTS: [string, number][] = [
  [".'\u2018\u2019\u2024\uFE52\uFF07\uFF0E", LETTER_JOINT | DIGIT_JOINT],
  [':\u00B7\u0387\u055F\u05F4\u2027\uFE13\uFE55\uFF1A', LETTER_JOINT],
  [',;\u037E\u0589\u060C\u060D\u066C\u07F8\u2044\uFE10\uFE14\uFE50\uFE54\uFF0C\uFF1B', DIGIT_JOINT],
]

/**
 * The first match applies. Marks come before letters, because many vowel signs are both. Symbols such as © and ‼ are not emoji
 * here.
 */
const KINDS: [RegExp, number][] = [
  [/\p{Pc}/v, CONNECTOR],
  [/[\p{Grapheme_Extend}\p{Mc}]/v, MARK],
  [/\p{Regional_Indicator}/v, REGIONAL],
  [/\p{Nd}/v, DIGIT],
  [/[[\p{L}\p{Nl}]&&[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]]/v, UNSPACED],
  [/\p{Alphabetic}/v, LETTER],
  [/[[\p{Extended_Pictographic}\p{Emoji_Modifier}]--[\p{P}©®™]]/v, EMOJI],
]

function classify(codePoint: number): number {
  if (codePoint === ZERO_WIDTH_JOINER) return OTHER
  const character = String.fromCodePoint(codePoint)
  for (const [characters, kind] of JOINTS) if (characters.includes(character)) return kind
  for (const [pattern, kind] of KINDS) if (pattern.test(character)) return kind
  return OTHER
}

// Accents and points, but not vowel signs, without which Hindi or Thai words would change their meaning. The voicing marks of
// kana stay, as do zero-width joiners inside emoji. Zero-width spaces stay because they separate words.
const DROPPED =
  /[[\p{Mn}\p{Me}]&&[[\p{sc=Zinh}\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Hebr}\p{sc=Arab}\p{sc=Syrc}]--[\u3099\u309A]]]|[\p{Cf}--[\u200B\u200D]]|[\u{E0020}-\u{E007F}]|\u200D(?!\p{Extended_Pictographic})/gv

/** Letters without a Unicode decomposition that people type without their stroke, and apostrophes. */
const SPELLINGS = new Map([
  ['ß', 'ss'],
  ['æ', 'ae'],
  ['œ', 'oe'],
  ['ø', 'o'],
  ['đ', 'd'],
  ['ð', 'd'],
  ['þ', 'th'],
  ['ħ', 'h'],
  ['ı', 'i'],
  ['ł', 'l'],
  ['ŧ', 't'],
  ['ς', 'σ'],
  ['‘', "'"],
  ['’', "'"],
  ['＇', "'"],
])
const SPELLED = new RegExp(`[${[...SPELLINGS.keys()].join('')}]`, 'gv')

/** Converts to lower case without accents. Idempotent. */
export function foldText(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFD')
    .replace(DROPPED, '')
    .replace(SPELLED, letter => SPELLINGS.get(letter) ?? letter)
    .normalize('NFC')
}

/**
 * Kinds by code point, in pages of 256 that are created on first use, because testing the regular expressions each time is too
 * slow. `folds` contains the folded form of characters that fold independently.
 */
const pages: (Uint16Array | undefined)[] = new Array(0x1100)
const folds = new Map<number, string>()

function makePage(number: number): Uint16Array {
  const page = new Uint16Array(256)
  for (let i = 0; i < 256; i++) {
    const codePoint = number * 256 + i
    page[i] = classify(codePoint) | classifyFolding(codePoint)
  }
  pages[number] = page
  return page
}

function classifyFolding(codePoint: number): number {
  const character = String.fromCodePoint(codePoint)
  // Marks and Korean jamo compose with the previous character, format characters are removed, and surrogates are halves of a
  // character.
  if (/[\p{M}\p{Grapheme_Extend}\p{Cf}\p{Cs}\u1100-\u11FF]/v.test(character)) return FOLDS_WITH_OTHERS
  const folded = foldText(character)
  if (folded === character) return 0
  folds.set(codePoint, folded)
  return FOLDS
}

/** Returns the kind and folding bits of a character. */
function traitsOf(codePoint: number): number {
  const page = pages[codePoint >> 8] ?? makePage(codePoint >> 8)
  return page[codePoint & 255] ?? OTHER
}

function kindOf(codePoint: number): number {
  return traitsOf(codePoint) & KIND
}

/** Returns the tokens of a text in order. */
export function tokenize(text: string): string[] {
  const tokens: string[] = []
  const lower = text.toLowerCase()
  const ascii = pages[0] ?? makePage(0)
  let start = 0
  while (start < lower.length) {
    let traits = 0
    let end = start
    for (; end < lower.length; end++) {
      const code = lower.charCodeAt(end)
      if (code <= 32) break
      traits |= code < 256 ? (ascii[code] ?? OTHER) : traitsOf(code)
    }
    if (end > start) pushPiece(tokens, lower.slice(start, end), traits)
    start = end + 1
  }
  return tokens
}

/** True for a token of a script without spaces. Such tokens are consecutive inside one word. */
export function isUnspaced(token: string): boolean {
  return kindOf(token.codePointAt(0) ?? 0) === UNSPACED
}

/** Returns the text that the text index stores for one field: the tokens of its pieces, joined by blanks. */
export function toIndexText(pieces: readonly string[]): string {
  const texts: string[] = []
  for (const piece of pieces) {
    const text = tokenize(piece).join(' ')
    if (text !== '') texts.push(text)
  }
  return texts.join(` ${PIECE_BREAK} `)
}

function pushPiece(tokens: string[], piece: string, traits: number): void {
  if ((traits & ~WORD) === 0) {
    if ((traits & (LETTER | DIGIT)) !== 0) pushToken(tokens, piece)
  } else if ((traits & FOLDS_WITH_OTHERS) !== 0) {
    pushTokens(tokens, foldText(piece))
  } else {
    pushTokens(tokens, (traits & FOLDS) === 0 ? piece : foldEach(piece))
  }
}

/** Ten times faster than `foldText`, with the same result for lower-case text whose characters fold independently. */
function foldEach(text: string): string {
  let folded = ''
  let start = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 128 || (traitsOf(code) & FOLDS) === 0) continue
    folded += text.slice(start, i) + folds.get(code)
    start = i + 1
  }
  return folded + text.slice(start)
}

/** Adds the tokens of folded text. */
function pushTokens(tokens: string[], text: string): void {
  let start = 0
  while (start < text.length) {
    const codePoint = text.codePointAt(start) ?? 0
    const kind = kindOf(codePoint)
    let end = start + widthOf(codePoint)
    let isToken = true
    if ((kind & WORD) !== 0) {
      end = endOfWord(text, start)
      isToken = end > 0
      if (!isToken) end = endOfConnectors(text, start)
    } else if (kind === UNSPACED) {
      end = endOfMarks(text, end)
    } else if (kind === EMOJI) {
      end = endOfEmoji(text, end)
    } else if (kind === REGIONAL) {
      // Two regional indicators are a flag.
      if (kindOf(text.codePointAt(end) ?? 0) === REGIONAL) end += 2
    } else {
      isToken = false
    }
    if (isToken) pushToken(tokens, text.slice(start, end))
    start = end
  }
}

/** Returns the end of the word that starts at `start`; 0 if it contains neither letters nor digits. */
function endOfWord(text: string, start: number): number {
  let end = start
  let seen = 0
  let last = 0
  while (end < text.length) {
    const codePoint = text.codePointAt(end) ?? 0
    const kind = kindOf(codePoint)
    const next = end + widthOf(codePoint)
    if ((kind & WORD) !== 0) {
      seen |= kind
      last = kind
    } else if (kind !== MARK) {
      // A joint is valid only between two letters or between two digits: `example.com` and `12.5`, not `end.` or `a.5`.
      const joins = (kind >> 3) & last & kindOf(text.codePointAt(next) ?? 0) & (LETTER | DIGIT)
      if ((kind & (LETTER_JOINT | DIGIT_JOINT)) === 0 || joins === 0) break
    }
    end = next
  }
  return (seen & (LETTER | DIGIT)) !== 0 ? end : 0
}

function endOfConnectors(text: string, start: number): number {
  let end = start
  while ((kindOf(text.codePointAt(end) ?? 0) & (CONNECTOR | MARK)) !== 0) end++
  return end
}

function endOfMarks(text: string, start: number): number {
  let end = start
  while (end < text.length) {
    const codePoint = text.codePointAt(end) ?? 0
    if (kindOf(codePoint) !== MARK) break
    end += widthOf(codePoint)
  }
  return end
}

/** Skin tones, and characters joined by zero-width joiners such as families, belong to one emoji. */
function endOfEmoji(text: string, start: number): number {
  let end = start
  while (end < text.length) {
    const codePoint = text.codePointAt(end) ?? 0
    const isTone = codePoint >= 0x1f3fb && codePoint <= 0x1f3ff
    if (codePoint === ZERO_WIDTH_JOINER) end += 1 + widthOf(text.codePointAt(end + 1) ?? 0)
    else if (isTone || kindOf(codePoint) === MARK) end += widthOf(codePoint)
    else break
  }
  return Math.min(end, text.length)
}

function widthOf(codePoint: number): number {
  return codePoint > 0xffff ? 2 : 1
}

function pushToken(tokens: string[], token: string): void {
  if (token.length <= TOKEN_LENGTH_MAX) {
    tokens.push(token)
    return
  }
  const codePoints = [...token]
  for (let i = 0; i < codePoints.length; i += TOKEN_LENGTH_MAX) tokens.push(codePoints.slice(i, i + TOKEN_LENGTH_MAX).join(''))
}
