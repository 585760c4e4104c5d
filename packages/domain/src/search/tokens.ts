/**
 * Text to tokens: the one analysis of Postil, used for what is indexed and for what is asked, on every engine.
 *
 * Words follow the word boundaries of UAX 29, with case and accents folded. Scripts that are written without spaces give one
 * token per character, an emoji is a token of its own, punctuation never is one. The stream is stored as it is, joined by
 * blanks; so a token holds no blank and, of ASCII punctuation, only `_ : . ' , ;`.
 *
 * It runs over every word that is imported. Text is therefore cut at ASCII blanks first, and only pieces that hold more than
 * ASCII pay for normalization.
 */

export const TOKEN_LENGTH_MAX = 255

/** Stands between pieces in the index, so that no phrase reaches from one into the next. Private use, so never in a token. */
export const PIECE_BREAK = '\u{E000}'

// What a character does to a word. The joints between two letters and between two digits are the same bits, three further left.
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
// What folding does to a character: changes it by itself, or needs to see its neighbours.
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

/** The first that fits. Marks come before letters (many vowel signs are both), and signs such as © and ‼ are no emoji here. */
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

// Accents and points, not vowel signs: without those a Hindi or Thai word is another word. The voicing marks of kana stay too,
// and a zero-width joiner where it builds an emoji. A zero-width space stays to part words.
const DROPPED =
  /[[\p{Mn}\p{Me}]&&[[\p{sc=Zinh}\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Hebr}\p{sc=Arab}\p{sc=Syrc}]--[\u3099\u309A]]]|[\p{Cf}--[\u200B\u200D]]|[\u{E0020}-\u{E007F}]|\u200D(?!\p{Extended_Pictographic})/gv

/** Letters that no decomposition takes apart, but that people type without their stroke; and the apostrophes. */
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

/** Lower case, without accents. Folding twice changes nothing. */
export function foldText(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFD')
    .replace(DROPPED, '')
    .replace(SPELLED, letter => SPELLINGS.get(letter) ?? letter)
    .normalize('NFC')
}

/**
 * Kinds by code point, in pages of 256 that are made when first needed: asking the expressions each time is too slow.
 * Of characters that folding changes by themselves, `folds` holds what they become.
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
  // Marks and Korean jamo compose with what stands before them, format characters vanish, surrogates are halves.
  if (/[\p{M}\p{Grapheme_Extend}\p{Cf}\p{Cs}\u1100-\u11FF]/v.test(character)) return FOLDS_WITH_OTHERS
  const folded = foldText(character)
  if (folded === character) return 0
  folds.set(codePoint, folded)
  return FOLDS
}

/** Kind and folding of a character. */
function traitsOf(codePoint: number): number {
  const page = pages[codePoint >> 8] ?? makePage(codePoint >> 8)
  return page[codePoint & 255] ?? OTHER
}

function kindOf(codePoint: number): number {
  return traitsOf(codePoint) & KIND
}

/** The tokens of a text, in order. */
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

/** True for a token of a script written without spaces: such tokens stand one after the other inside one word. */
export function isUnspaced(token: string): boolean {
  return kindOf(token.codePointAt(0) ?? 0) === UNSPACED
}

/** What a text index stores for one field: the tokens of its pieces, joined by blanks. */
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

/** What `foldText` gives for lower-case text where no character looks at another, ten times faster. */
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

/** Tokens of text that is folded already. */
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

/** Where the word that begins at `start` ends; 0 when it holds neither letter nor digit. */
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
      // A joint holds only between two letters or between two digits: `example.com` and `12.5`, not `end.` or `a.5`.
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

/** Skin tones and whole families, joined by zero-width joiners, belong to one emoji. */
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
