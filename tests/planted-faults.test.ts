/** Every planted fault still fits the code, so that `npm run faults` can apply it. */
import { existsSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CONTRACTS } from '@postil/domain/api/all'
import { expect, test } from 'vitest'
import { FAULT_GROUPS } from './planted-faults/list.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const faults = FAULT_GROUPS.flatMap(group => group.faults)
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

test('each fault has an id of its own and changes one place', () => {
  const ids = faults.map(({ id }) => id)
  expect(ids.filter((id, index) => ids.indexOf(id) < index)).toEqual([])
  const places = faults.map(({ id, file, find }) => ({ id, places: read(file).split(find).length - 1 }))
  expect(places.filter(found => found.places !== 1)).toEqual([])
  expect(faults.filter(({ find, replace }) => find === replace)).toEqual([])
})

test.each(faults)('the code with $id can be parsed, so that a test has to find it', ({ file, find, replace }) => {
  expect(() => stripTypeScriptTypes(read(file).replace(find, () => replace))).not.toThrow()
})

test('the tests and routes of each part exist', () => {
  const paths = FAULT_GROUPS.flatMap(({ unit, contract }) => [...unit, ...contract.map(name => `tests/contract/${name}.test.ts`)])
  expect(paths.filter(path => !existsSync(join(ROOT, path)))).toEqual([])
  const routes = new Set(CONTRACTS.map(({ id }) => id))
  expect(FAULT_GROUPS.flatMap(group => group.routes).filter(id => !routes.has(id))).toEqual([])
})
