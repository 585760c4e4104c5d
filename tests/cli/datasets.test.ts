import { createDatasetWithSettings } from '@postil/client'
import { legacyCreateDataset } from '@postil/domain/legacy/api-datasets'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Fixture, openFixture } from './fixture.ts'
import { failed, openPersons } from './run.ts'

const newPerson = openPersons()
let on: Fixture
beforeAll(async () => {
  on = await openFixture(newPerson)
  await on.client.createWorkspace({ body: { name: 'team' } })
})
afterAll(() => on?.close())

const owner = (...args: string[]) => on.owner.run(['datasets', ...args])
const ownerAlone = (...args: string[]) => on.owner.run(['datasets', ...args], { isAlone: true })

const create = (name: string, workspace = 'default') =>
  createDatasetWithSettings(on.client, {
    workspace,
    name,
    fields: [{ name: 'text', required: true, settings: { type: 'text' } }],
    questions: [{ name: 'comment', required: true, settings: { type: 'text' } }],
  })

describe('datasets list', () => {
  test('shows datasets with their workspaces', async () => {
    const { dataset } = await create('listed', 'team')
    const { code, stdout } = await ownerAlone('list')
    expect(code).toBe(0)
    for (const word of ['Datasets', 'ID', 'Workspace', 'Type', 'Tags', 'Creation Date', 'Last Update Date'])
      expect(stdout).toContain(word)
    expect(stdout).toMatch(new RegExp(`${dataset.id} │ listed │ team +│ Feedback`))
    expect((await owner('list', '--workspace', 'team', '--json')).json()).toMatchObject([{ name: 'listed', workspace: 'team' }])
    expect((await owner('list', '--workspace', 'default', '--json')).json()).toEqual([])
    expect((await on.annotator.run(['datasets', 'list', '--json'])).json()).toEqual([])
  })

  test('chooses by type', async () => {
    expect((await owner('list', '--type', 'feedback', '--json')).json().length).toBeGreaterThan(0)
    expect((await owner('list', '--type', 'other', '--json')).json()).toEqual([])
    const task = {
      name: 'old',
      task: 'TextClassification' as const,
      workspace: 'team',
      tags: { team: 'mail', year: '2023' },
      metadata: {},
    }
    await on.client.call(legacyCreateDataset, { params: { workspace: '' }, body: task })
    expect((await owner('list', '--type', 'other', '--workspace', 'default', '--json')).json()).toEqual([])
    expect((await owner('list', '--type', 'feedback')).stdout).not.toContain('team.old')
    expect((await owner('list', '--json')).json()[0]).toMatchObject({ id: 'team.old', type: 'TextClassification' })
    const { stdout } = await owner('list', '--workspace', 'team')
    expect(stdout).toMatch(/team\.old +│ old +│ team +│ TextClassification │ • team: mail/)
    expect(stdout).toContain('• year: 2023')
    expect(await owner('list', '--type', 'strange')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('feedback, other'),
    })
  })

  test('names a workspace that it does not find', async () => {
    expect(await owner('list', '--workspace', 'nowhere')).toMatchObject(failed('Workspace not found', 'nowhere'))
  })
})

describe('datasets delete', () => {
  test('deletes one, with the target given on the group or on the command', async () => {
    await create('first')
    await create('second')
    const deleted = { code: 0, stdout: expect.stringMatching(/Dataset deleted[\s\S]*first[\s\S]*default/) }
    expect(await owner('--name', 'first', '--workspace', 'default', 'delete')).toMatchObject(deleted)
    expect(await ownerAlone('delete', '--name', 'second')).toMatchObject({ code: 0 })
    expect((await owner('list', '--workspace', 'default', '--json')).json()).toEqual([])
  })

  test('names a dataset that it does not find', async () => {
    expect(await owner('delete', '--name', 'none')).toMatchObject(failed('Dataset not found', '--workspace'))
    const ended = await owner('delete', '--name', 'none', '--workspace', 'team')
    expect(ended).toMatchObject(failed('Dataset not found', 'none', 'team'))
    expect(ended.stdout).not.toContain('--workspace')
    expect(await owner('delete', '--name', 'none', '--workspace', 'nowhere')).toMatchObject(failed('Workspace not found'))
  })

  test('deletes none of several with the same name', async () => {
    await create('twice')
    await create('twice', 'team')
    expect(await owner('delete', '--name', 'twice')).toMatchObject(failed('Dataset not found', 'default, team', '--workspace'))
    expect(await owner('--workspace', 'team', 'delete', '--name', 'twice')).toMatchObject({ code: 0 })
    expect((await owner('list', '--type', 'feedback', '--json')).json()).toMatchObject([
      { name: 'listed' },
      { name: 'twice', workspace: 'default' },
    ])
  })

  test('looks in the workspace of the login unless it is given another', async () => {
    await create('third', 'team')
    const env = { SERVICE_WORKSPACE: 'default' }
    expect(await on.owner.run(['datasets', '--name', 'third', 'delete'], { env })).toMatchObject(
      failed('Dataset not found', 'default'),
    )
    expect(await on.owner.run(['datasets', '--name', 'third', '--workspace', 'team', 'delete'], { env })).toMatchObject({
      code: 0,
    })
  })

  test('needs a role and --name', async () => {
    await create('kept')
    expect(await on.annotator.run(['datasets', '--name', 'kept', 'delete'])).toMatchObject(failed('Not enough permissions'))
    expect(await owner('delete')).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining("'--name <name>'") })
    expect(await on.admin.run(['datasets', '--name', 'kept', 'delete'])).toMatchObject({ code: 0 })
  })
})
