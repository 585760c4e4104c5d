import { expect, test } from 'vitest'
import { define } from '../shortcuts/defaults.ts'
import { groupKeys } from './sheet-groups.ts'

const run = () => {}
const commands = [
  define('annotate.flag', run),
  define('annotate.next', run),
  define('annotate.submit', run),
  define('annotate.recent', run),
]
const idsOf = (groups: ReturnType<typeof groupKeys>) => groups.map(({ title, rows }) => [title, rows.map(({ id }) => id)])

test('commands stand under their headings; those without keys are left out', () => {
  expect(idsOf(groupKeys(commands, { singleLetterKeys: true }))).toEqual([
    ['shell.group_answer', ['annotate.flag', 'annotate.submit']],
    ['shell.group_move', ['annotate.next']],
  ])
})

test('switched-off letters are not shown', () => {
  expect(idsOf(groupKeys(commands, { singleLetterKeys: false }))).toEqual([
    ['shell.group_move', ['annotate.next']],
    ['shell.group_answer', ['annotate.submit']],
  ])
})

test('of two commands with one id the inner one is shown, once', () => {
  const inner = define('annotate.next', run, { titleValues: { count: 1 } })
  const groups = groupKeys([inner, ...commands], { singleLetterKeys: true })
  expect(groups.flatMap(({ rows }) => rows).filter(({ id }) => id === 'annotate.next')).toEqual([
    { id: 'annotate.next', title: 'shell.cmd_next', chords: ['ArrowRight'], titleValues: { count: 1 } },
  ])
})
