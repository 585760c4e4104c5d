/** Stack traces of bugs refer to the source files although the server runs from a bundle. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { openFolders, postil } from '../postil.ts'

const newFolder = openFolders()
const SOURCE = fileURLToPath(new URL('../../packages/server/src/cli/main.ts', import.meta.url))

test('a stack names the file, line and column of the source', () => {
  const plant = join(newFolder(), 'plant.mjs')
  writeFileSync(plant, "process.umask = () => { throw new Error('planted failure') }")
  const { status, stderr } = postil(['--version'], { NODE_OPTIONS: `--import=${pathToFileURL(plant)}` })
  const lines = readFileSync(SOURCE, 'utf8').split('\n')
  const line = lines.findIndex(text => text.includes('process.umask'))
  const column = lines[line]?.indexOf('umask') ?? -1
  expect(status).toBe(1)
  expect(stderr).toContain('Error: planted failure\n    at process.umask ')
  expect(stderr).toContain(`at runCli (${pathToFileURL(SOURCE)}:${line + 1}:${column + 1})`)
})
