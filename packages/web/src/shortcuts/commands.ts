/**
 * Registry of all commands that are available by key or palette. Components register their commands while they are mounted. Key
 * handling, the shortcut sheet and the palette use the same list, so that they always agree.
 */
import { type ComputedRef, computed, onScopeDispose, shallowReactive } from 'vue'
import type { MessageKey } from '../i18n/i18n.ts'
import type { MessageArguments } from '../i18n/message.ts'
import { preferences } from '../preferences.ts'
import { chordOf, isSingleLetter, matches } from './chords.ts'

export interface Command {
  /** Unique among the registered commands, and the key of custom bindings: `annotate.submit`. */
  id: string
  title: MessageKey
  titleValues?: MessageArguments
  /** Heading in the shortcut sheet. */
  group: MessageKey
  /** Default chords, see chords.ts. If empty, the command is available in the palette only. */
  keys: readonly string[]
  /** Returns false if the command does not apply; the next command with the same key then runs. */
  run(event: KeyboardEvent | null): unknown
  when?: () => boolean
  /** True if it also works while a text input has the focus. */
  inText?: boolean
  /** True if it repeats while the key is held down. */
  repeats?: boolean
  /** False for keys that only make sense at the focused element. */
  inPalette?: boolean
}

/** From innermost to outermost: focused widget, form, page, shell. An open dialog hides all other layers. */
const LAYERS = ['dialog', 'widget', 'form', 'page', 'shell'] as const
export type Layer = (typeof LAYERS)[number]

const registered = shallowReactive(new Map<symbol, { layer: Layer; commands: ComputedRef<Command[]> }>())

/** Registers commands while the calling component is mounted. */
export function useCommands(layer: Layer, commands: () => Command[]): void {
  const token = Symbol(layer)
  registered.set(token, { layer, commands: computed(commands) })
  onScopeDispose(() => registered.delete(token))
}

export const bindingsOf = (command: Pick<Command, 'id' | 'keys'>): readonly string[] =>
  preferences.bindings[command.id] ?? command.keys

/**
 * Shared index, because every card of a scrolled list registers commands, and every key chip on the page then looks up its
 * command again.
 */
const byId = computed(() => {
  const index = new Map<string, Command>()
  for (const { commands } of registered.values())
    for (const command of commands.value) if (!index.has(command.id)) index.set(command.id, command)
  return index
})

/** Returns a registered command, including commands that an open dialog hides, so that the page keeps showing its keys. */
export const findCommand = (id: string): Command | undefined => byId.value.get(id)

/** Commands that can run now, innermost first. */
export function activeCommands(): Command[] {
  const entries = [...registered.values()]
  const isModal = entries.some(({ layer }) => layer === 'dialog')
  return LAYERS.filter(layer => !isModal || layer === 'dialog').flatMap(layer =>
    // The component mounted last comes first.
    entries
      .filter(entry => entry.layer === layer)
      .reverse()
      .flatMap(({ commands }) => commands.value.filter(({ when }) => when?.() ?? true)),
  )
}

const TEXT_INPUT =
  'textarea, select, [contenteditable=""], [contenteditable="true"], input:not([type=checkbox], [type=radio], [type=range], [type=button])'
/** Elements that Enter or Space activates natively. Options of questions are excluded, because Enter submits there. */
const ACTIVATED = 'button, a[href], summary, [role=button], [role=menuitem], [role=tab], [role=link]'

export const isTextInput = (target: EventTarget | null) => target instanceof Element && target.closest(TEXT_INPUT) !== null

function mayRun(command: Command, binding: string, event: KeyboardEvent): boolean {
  if (event.repeat && !command.repeats) return false
  if (isTextInput(event.target) && !command.inText) return false
  return preferences.singleLetterKeys || !isSingleLetter(binding)
}

function isActivation(chord: string, target: EventTarget | null): boolean {
  if (chord !== 'Enter' && chord !== 'Space') return false
  const element = target instanceof Element ? target.closest(ACTIVATED) : null
  return element !== null && element.closest('[data-option]') === null
}

export function handleKey(event: KeyboardEvent): void {
  const chord = chordOf(event)
  if (chord === null || event.defaultPrevented || event.isComposing || isActivation(chord, event.target)) return
  for (const command of activeCommands()) {
    const binding = bindingsOf(command).find(one => matches(one, chord))
    if (binding === undefined || !mayRun(command, binding, event)) continue
    if (command.run(event) === false) continue
    event.preventDefault()
    return
  }
}

export const startShortcuts = () => addEventListener('keydown', handleKey)
