/**
 * A chord is a text such as `Mod+k`, `Shift+ArrowRight`, `x`, `?` or `Enter`. Digits are read by the key's place, so that a
 * French keyboard needs no Shift and the number pad counts; `0-9` and `a-z` stand for any digit and any letter, `Shift+0-9` for any
 * digit with Shift.
 */
export const isMac = () => /mac|iphone|ipad/i.test(navigator.platform)

/** The chord of a key press, or null for a modifier alone. */
export function chordOf(event: KeyboardEvent): string | null {
  const { key, code } = event
  if (['Shift', 'Control', 'Alt', 'Meta', 'AltGraph', 'Dead', 'Process', 'Unidentified'].includes(key)) return null
  // With it other signs stand on the digit keys, such as `[` on a German keyboard; some systems report it as Ctrl and Alt.
  const isAltGr = event.getModifierState('AltGraph')
  const digit = isAltGr ? undefined : /^(?:Digit|Numpad)(\d)$/.exec(code)?.[1]
  const isLetter = /^\p{L}$/u.test(key)
  const name = digit ?? (key === ' ' ? 'Space' : isLetter ? key.toLowerCase() : key)
  const isSign = digit === undefined && !isLetter && name.length === 1
  const parts: string[] = []
  if (!isAltGr && (isMac() ? event.metaKey : event.ctrlKey)) parts.push('Mod')
  if (isMac() && event.ctrlKey) parts.push('Ctrl')
  if (!isAltGr && event.altKey) parts.push('Alt')
  // Which signs need Shift differs between keyboards.
  if (event.shiftKey && !isSign) parts.push('Shift')
  return [...parts, name].join('+')
}

const PATTERN = /^((?:\w+\+)*)(0-9|a-z)$/
const ONE_OF = { '0-9': /^\d$/, 'a-z': /^\p{L}$/u }
export type PatternKind = keyof typeof ONE_OF

/** What a binding stands for many of, and what is held with it; null for a single key. */
function patternOf(binding: string): { held: string; kind: PatternKind } | null {
  const [, held = '', kind] = PATTERN.exec(binding) ?? []
  return kind === '0-9' || kind === 'a-z' ? { held, kind } : null
}

export const patternKindOf = (binding: string): PatternKind | null => patternOf(binding)?.kind ?? null

/** Whether a binding stands for this chord. */
export function matches(binding: string, chord: string): boolean {
  const pattern = patternOf(binding)
  if (pattern === null) return binding === chord
  return chord.startsWith(pattern.held) && ONE_OF[pattern.kind].test(chord.slice(pattern.held.length))
}

/** The pattern that a pressed key is one of: `Shift+3` -> `Shift+0-9`; null when it is no digit, or no letter. */
export function toPattern(chord: string, kind: PatternKind): string | null {
  const key = chord.split('+').at(-1) ?? ''
  return ONE_OF[kind].test(key) ? chord.slice(0, chord.length - key.length) + kind : null
}

/** A lone letter or sign: may be switched off. */
export const isSingleLetter = (binding: string) => binding.length === 1 && !/\d/.test(binding)

const MAC_NAMES: Record<string, string> = { Mod: '⌘', Ctrl: '⌃', Alt: '⌥', Shift: '⇧', Enter: '↵', Backspace: '⌫', Delete: '⌦' }
const NAMES: Record<string, string> = {
  Mod: 'Ctrl',
  ArrowRight: '→',
  ArrowLeft: '←',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Escape: 'Esc',
}
/** What stands on the keyboards of a language, where it is not the English name. */
const LOCAL_NAMES: Record<string, Record<string, string>> = {
  de: { Ctrl: 'Strg', Shift: 'Umschalt', Delete: 'Entf', Space: 'Leertaste', Backspace: 'Rück', Home: 'Pos1', End: 'Ende' },
  es: { Shift: 'Mayús', Delete: 'Supr', Space: 'Espacio', Backspace: 'Retroceso', Home: 'Inicio', End: 'Fin', Enter: 'Intro' },
}

/** What stands on the keys, one text per key: `['Ctrl', 'K']`. */
export function keysOf(binding: string, language: string): string[] {
  const parts = binding === '+' ? ['+'] : binding.split('+')
  return parts.map(part => {
    const name = (isMac() ? MAC_NAMES[part] : undefined) ?? NAMES[part] ?? part
    const translated = LOCAL_NAMES[language]?.[name] ?? name
    return translated.length === 1 ? translated.toUpperCase() : translated
  })
}

/** A chord as `aria-keyshortcuts` has it: `Control+Enter`. */
export const toAriaKeys = (binding: string): string =>
  binding.replace(/\bMod\b/, isMac() ? 'Meta' : 'Control').replace(/\bCtrl\b/, 'Control')
