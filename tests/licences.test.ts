/** A package can be bundled only if its licence is allowed and its text is known. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { toNotice } from '../scripts/licences.ts'

const TEXT = 'Permission is granted.\n\nThe software is provided "as is", without warranty of any kind.'

function writePackage(manifest: object, files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'postil-licence-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [path, text] of Object.entries({
    ...files,
    'package.json': JSON.stringify({ name: '@a/one', version: '1.2.3', ...manifest }),
  })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

test.each([
  ['a licence file', { LICENSE: TEXT }, TEXT],
  ['a file with an ending, Windows line ends and blanks', { 'licence-mit.txt': `\n${TEXT.replaceAll('\n', ' \r\n')}\n\n` }, TEXT],
  ['a section of the readme', { 'README.md': `# One\n\n## License\n\n${TEXT}\n\n## More\n\nx` }, TEXT],
  ['a notice file', { LICENSE: TEXT, NOTICE: 'By A' }, `${TEXT}\n\nBy A`],
  ['copied code', { LICENSE: TEXT, 'src/vendor/two/LICENSE': 'Text of two' }, `${TEXT}\n\nText of two`],
  ['the same text twice', { LICENSE: TEXT, 'lib/LICENSE': TEXT }, TEXT],
  ['programs that are called license', { LICENSE: TEXT, 'api/license.js': 'x = 1', 'api/license.d.ts': 'let x: 1' }, TEXT],
  ['packages of its own', { LICENSE: TEXT, 'node_modules/three/LICENSE': 'Text of three' }, TEXT],
])('%s', (_, files, text) => {
  expect(toNotice(writePackage({ license: 'MIT' }, files))).toEqual({ name: '@a/one', version: '1.2.3', license: 'MIT', text })
})

test.each([
  [
    'no text',
    { license: 'MIT' },
    { 'README.md': '## License\n\nMIT' },
    '@a/one has no licence text: add it as scripts/licences/@a+one.txt',
  ],
  ['no licence', {}, { LICENSE: TEXT }, '@a/one does not name its licence'],
  ['an unknown licence', { license: 'SSPL-1.0' }, { LICENSE: TEXT }, '@a/one is under SSPL-1.0, which is not an allowed licence'],
  [
    'a choice',
    { license: '(MIT OR GPL-3.0)' },
    { LICENSE: TEXT },
    '@a/one is under (MIT OR GPL-3.0): choose one in CHOSEN_LICENCES',
  ],
])('%s is refused', (_, manifest, files, message) => {
  expect(() => toNotice(writePackage(manifest, files))).toThrow(message)
})
