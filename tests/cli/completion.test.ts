/** Shell completion scripts, run by their shells. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { openPersons, type Person } from './run.ts'

const newPerson = openPersons()
let person: Person
beforeAll(async () => {
  person = newPerson()
  const { code, stdout } = await person.run(['completion', 'bash'], { isAlone: true })
  expect(code).toBe(0)
  writeFileSync(`${person.home}/completion.bash`, stdout)
})

const complete = (...words: string[]) => {
  const list = ['postil', ...words].map(word => `"${word}"`).join(' ')
  const script = `source ${person.home}/completion.bash; COMP_WORDS=(${list}); COMP_CWORD=${words.length}; _postil; echo "\${COMPREPLY[@]}"`
  return spawnSync('bash', ['-c', script], { encoding: 'utf8' }).stdout.trim()
}

test.each([
  [['log'], 'login logout'],
  [['workspaces', 'add'], 'add-user'],
  [['workspaces', '--name', 'team', 'del'], 'delete-user'],
  [['users', 'list', '--r'], '--role'],
  [['server', 'database', 'users', 'create'], 'create create_default'],
  [['server', 'search-engine', 're'], 'reindex'],
  [['server', 'des'], ''],
])('bash completes %j to %j', (words, expected) => {
  expect(complete(...words)).toBe(expected)
})

test('there are scripts for zsh and fish, and for no other shell', async () => {
  expect((await person.run(['completion', 'zsh'])).stdout).toContain('bashcompinit')
  expect((await person.run(['completion', 'fish'])).stdout).toContain(
    "complete -c postil -n '__fish_seen_subcommand_from workspaces; and not",
  )
  expect(await person.run(['completion', 'cmd'])).toMatchObject({ code: 2, stderr: expect.stringContaining('bash, zsh, fish') })
})
