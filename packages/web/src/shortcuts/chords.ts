/**
 * A chord is a string such as `Mod+k`, `Shift+ArrowRight`, `x`, `?` or `Enter`. Digits are read from the physical key, so that a
 * French keyboard needs no Shift and the number pad works. `0-9` and `a-z` stand for any digit and any letter, `Shift+0-9` for
 * any digit with Shift.
 */
export const isMac = () => /mac|iphone|ipad/i.test(navigator.platform)

/** Returns the chord of a key press, or null for a modifier alone. */
export function chordOf(event: KeyboardEvent): string | null {
  const { key, code } = event
  if (['Shift', 'Control', 'Alt', 'Meta', 'AltGraph', 'Dead', 'Process', 'Unidentified'].includes(key)) return null
  // With AltGr, digit keys produce other characters, such as `[` on a German keyboard. Some systems report AltGr as Ctrl and Alt.
  const isAltGr = event.getModifierState('AltGraph')
  const digit = isAltGr ? undefined : /^(?:Digit|Numpad)(\d)$/.exec(code)?.[1]
  const isLetter = /^\p{L}$/u.test(key)
  const name = digit ?? (key === ' ' ? 'Space' : isLetter ? key.toLowerCase() : key)
  const isSign = digit === undefined && !isLetter && name.length === 1
  const parts: string[] = []
  if (!isAltGr && (isMac() ? event.metaKey : event.ctrlKey)) parts.push('Mod')
  if (isMac() && event.ctrlKey) parts.push('Ctrl')
  if (!isAltGr && event.altKey) parts.push('Alt')
  // Shift is omitted for punctuation, because keyboards differ in which characters need it.
  if (event.shiftKey && !isSign) parts.push('Shift')
  return [...parts, name].join('+')
}

const PATTERN = /^((?:\w+\+)*)(0-9|a-z)$/
const ONE_OF = { '0-9': /^\d$/, 'a-z': /^\p{L}$/u }
export type PatternKind = keyof typeof ONE_OF

/** Returns the kind of a pattern binding and its modifiers; null for a single key. */
function patternOf(binding: string): { held: string; kind: PatternKind } | null {
  const [, held = '', kind] = PATTERN.exec(binding) ?? []
  return kind === '0-9' || kind === 'a-z' ? { held, kind } : null
}

export const patternKindOf = (binding: string): PatternKind | null => patternOf(binding)?.kind ?? null

/** True if the binding matches the chord. */
export function matches(binding: string, chord: string): boolean {
  const pattern = patternOf(binding)
  if (pattern === null) return binding === chord
  return chord.startsWith(pattern.held) && ONE_OF[pattern.kind].test(chord.slice(pattern.held.length))
}

/** Converts a pressed key to a pattern: `Shift+3` -> `Shift+0-9`. Returns null if it is not a digit or letter. */
export function toPattern(chord: string, kind: PatternKind): string | null {
  const key = chord.split('+').at(-1) ?? ''
  return ONE_OF[kind].test(key) ? chord.slice(0, chord.length - key.length) + kind : null
}

/** True for a single letter or punctuation mark without modifiers; these bindings can be disabled. */
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
/** Key names on localised keyboards that differ from English. */
const LOCAL_NAMES: Record<string, Record<string, string>> = {
  de: { Ctrl: 'Strg', Shift: 'Umschalt', Delete: 'Entf', Space: 'Leertaste', Backspace: 'Rück', Home: 'Pos1', End: 'Ende' },
  es: { Shift: 'Mayús', Delete: 'Supr', Space: 'Espacio', Backspace: 'Retroceso', Home: 'Inicio', End: 'Fin', Enter: 'Intro' },
}

/** Key labels, one per key: `['Ctrl', 'K']`. */
export function keysOf(binding: string, language: string): string[] {
  const parts = binding === '+' ? ['+'] : binding.split('+')
  return parts.map(part => {
    const name = (isMac() ? MAC_NAMES[part] : undefined) ?? NAMES[part] ?? part
    const translated = LOCAL_NAMES[language]?.[name] ?? name
    return translated.length === 1 ? translated.toUpperCase() : translated
  })
}

/** Converts a chord to the syntax of `aria-keyshortcuts`: `Control+Enter`. */
export const toAriaKeys = (binding: string): string =>
  binding.replace(/\bMod\b/, isMac() ? 'Meta' : 'Control').replace(/\bCtrl\b/, 'Control')
