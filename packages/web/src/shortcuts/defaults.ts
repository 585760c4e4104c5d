/**
 * The table of commands whose keys a person can change: titles, headings and default chords. Handlers, the sheet, the palette
 * and the settings all read it. Parts register theirs with `define('annotate.submit', submit)`.
 *
 * The first part of an id says where it works: `shell` everywhere, `home` on the list of datasets, all others at work.
 */
import type { MessageKey } from '../i18n/i18n.ts'
import { preferences } from '../preferences.ts'
import type { Command } from './commands.ts'

type Row = Pick<Command, 'title' | 'group' | 'keys' | 'inText' | 'repeats' | 'inPalette'>

const row = (
  title: MessageKey,
  group: MessageKey,
  keys: readonly string[],
  extra: Omit<Row, 'title' | 'group' | 'keys'> = {},
): Row => ({
  title,
  group,
  keys,
  ...extra,
})

const ANSWER = 'shell.group_answer'
const MOVE = 'shell.group_move'
const FIND = 'shell.group_find'
const PANELS = 'shell.group_panels'
const BULK = 'shell.group_bulk'
const IMAGE = 'shell.group_image'
const EVERYWHERE = 'shell.group_everywhere'

export const COMMANDS = {
  'annotate.submit': row('shell.cmd_submit', ANSWER, ['Enter']),
  'annotate.submitFromText': row('shell.cmd_submit_from_text', ANSWER, ['Mod+Enter'], { inText: true, inPalette: false }),
  'annotate.draft': row('shell.cmd_draft', ANSWER, ['Mod+s'], { inText: true }),
  'annotate.discard': row('shell.cmd_discard', ANSWER, ['x', 'Mod+Backspace']),
  'annotate.skip': row('shell.cmd_skip', ANSWER, ['Shift+ArrowRight']),
  'annotate.clear': row('shell.cmd_clear', ANSWER, ['Alt+Backspace']),
  'annotate.takeSuggestion': row('shell.cmd_take_suggestion', ANSWER, ['u']),
  'annotate.undo': row('shell.cmd_undo', ANSWER, ['Mod+z']),
  'annotate.redo': row('shell.cmd_redo', ANSWER, ['Mod+Shift+z', 'Mod+y']),
  'annotate.recent': row('shell.cmd_recent', ANSWER, []),
  'annotate.flag': row('shell.cmd_flag', ANSWER, ['b']),
  'annotate.comment': row('shell.cmd_comment', ANSWER, ['c']),
  'annotate.next': row('shell.cmd_next', MOVE, ['ArrowRight'], { repeats: true }),
  'annotate.previous': row('shell.cmd_previous', MOVE, ['ArrowLeft'], { repeats: true }),
  'annotate.first': row('shell.cmd_first', MOVE, ['Home']),
  'annotate.last': row('shell.cmd_last', MOVE, ['End']),
  'annotate.goto': row('shell.cmd_goto', MOVE, ['g']),
  'annotate.question': row('shell.cmd_question', MOVE, ['Shift+0-9'], { inPalette: false }),
  'annotate.focusRecord': row('shell.cmd_focus_record', MOVE, ['r']),
  'annotate.focusForm': row('shell.cmd_focus_form', MOVE, ['q']),
  'annotate.scrollDown': row('shell.cmd_scroll_down', MOVE, ['Alt+ArrowDown'], { repeats: true, inPalette: false }),
  'annotate.scrollUp': row('shell.cmd_scroll_up', MOVE, ['Alt+ArrowUp'], { repeats: true, inPalette: false }),
  'annotate.search': row('shell.cmd_search', FIND, ['/']),
  'annotate.filters': row('shell.cmd_filters', FIND, ['f']),
  'annotate.sort': row('shell.cmd_sort', FIND, ['o']),
  'annotate.nextHit': row('shell.cmd_next_hit', FIND, ['n'], { repeats: true }),
  'annotate.previousHit': row('shell.cmd_previous_hit', FIND, ['Shift+n'], { repeats: true }),
  'annotate.similar': row('shell.cmd_similar', FIND, ['s']),
  'annotate.guidelines': row('shell.cmd_guidelines', PANELS, ['i']),
  'annotate.progress': row('shell.cmd_progress', PANELS, ['p']),
  'annotate.metadata': row('shell.cmd_metadata', PANELS, ['m']),
  'bulk.tick': row('shell.cmd_tick', BULK, ['Space'], { inPalette: false }),
  'bulk.range': row('shell.cmd_range', BULK, ['Shift+ArrowDown'], { repeats: true, inPalette: false }),
  'bulk.all': row('shell.cmd_all', BULK, ['Mod+a']),
  'bulk.none': row('shell.cmd_none', BULK, ['Escape']),
  'bulk.nextCard': row('shell.cmd_next_card', BULK, ['j'], { repeats: true, inPalette: false }),
  'bulk.previousCard': row('shell.cmd_previous_card', BULK, ['k'], { repeats: true, inPalette: false }),
  'image.zoomIn': row('shell.cmd_zoom_in', IMAGE, ['+'], { repeats: true }),
  'image.zoomOut': row('shell.cmd_zoom_out', IMAGE, ['-'], { repeats: true }),
  'image.fit': row('shell.cmd_fit', IMAGE, ['0']),
  'image.fullScreen': row('shell.cmd_full_screen', IMAGE, ['v']),
  'home.continue': row('shell.cmd_continue', 'shell.group_home', ['c']),
  'home.search': row('home.cmd_find', 'shell.group_home', ['/']),
  'shell.palette': row('shell.cmd_palette', EVERYWHERE, ['Mod+k'], { inText: true, inPalette: false }),
  'shell.sheet': row('shell.cmd_sheet', EVERYWHERE, ['?']),
} as const satisfies Record<string, Row>

export type CommandId = keyof typeof COMMANDS
export const COMMAND_IDS = Object.keys(COMMANDS) as CommandId[]

const BACKSPACE = 'Backspace'

/** The chords of a command unless the person set others. */
export function defaultKeysOf(id: CommandId): readonly string[] {
  const { keys } = COMMANDS[id]
  return id === 'annotate.discard' && preferences.backspaceDiscards ? [...keys, BACKSPACE] : keys
}

/** A command of the table that does `run`; `extra` adds a condition or says more exactly what it does here. */
export const define = (
  id: CommandId,
  run: Command['run'],
  extra: Partial<Pick<Command, 'when' | 'title' | 'titleValues' | 'inText' | 'repeats' | 'inPalette'>> = {},
): Command => ({ id, ...COMMANDS[id], keys: defaultKeysOf(id), run, ...extra })
