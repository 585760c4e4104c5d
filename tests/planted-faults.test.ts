/** Every planted fault still fits the code, so that `npm run faults` can apply it. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CONTRACTS } from '@postil/domain/api/all'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { FAULT_GROUPS } from './planted-faults/list.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const faults = FAULT_GROUPS.flatMap(group => group.faults)

test('ids differ', () => {
  const ids = faults.map(({ id }) => id)
  expect(ids.filter((id, index) => ids.indexOf(id) < index)).toEqual([])
})

test('each fault changes exactly one place', () => {
  const counts = faults.map(({ id, file, find }) => ({
    id,
    places: readFileSync(join(ROOT, file), 'utf8').split(find).length - 1,
  }))
  expect(counts.filter(({ places }) => places !== 1)).toEqual([])
  expect(faults.filter(({ find, replace }) => find === replace)).toEqual([])
})

test('each fault leaves code that can be parsed, so that a test has to find it', () => {
  const broken = faults.filter(({ file, find, replace }) => {
    const text = readFileSync(join(ROOT, file), 'utf8').replace(find, () => replace)
    return ts.transpileModule(text, { reportDiagnostics: true }).diagnostics?.length !== 0
  })
  expect(broken).toEqual([])
})

test('the tests and routes of each group exist', () => {
  const paths = FAULT_GROUPS.flatMap(({ unit, contract }) => [...unit, ...contract.map(file => `tests/${file}`)])
  expect(paths.filter(path => !existsSync(join(ROOT, path)))).toEqual([])
  const routes = new Set(CONTRACTS.map(({ id }) => id))
  expect(FAULT_GROUPS.flatMap(group => group.routes).filter(id => !routes.has(id))).toEqual([])
})
