/** Whose responses are counted when they are stored for somebody else. */
import type { DatasetProgress, DatasetUsersProgress } from '@postil/domain/datasets'
import { beforeAll, describe, expect, test } from 'vitest'
import { aDataset, addRecords, type BuiltDataset, SMALL, submitted } from './datasets.ts'
import { aMember, aUser, sharedWorld, type World } from './http.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

describe.each(['POST', 'PUT'])('responses that %s records/bulk brings', method => {
  let dataset: BuiltDataset
  beforeAll(async () => {
    dataset = await aDataset(world, SMALL)
  })

  const bring = (userId: string) => {
    const items = [{ fields: { text: 'brought' }, responses: [{ ...submitted(), user_id: userId }] }]
    return world.owner.done(`${method} ${dataset.path}/records/bulk`, { items })
  }
  const namesOf = async () =>
    (await world.owner.done<DatasetUsersProgress>(`GET ${dataset.path}/users/progress`)).users
      .map(({ username }) => username)
      .toSorted()

  test('are counted for members and owners, now or when they responded, and stored for everyone', async () => {
    const member = await aMember(world)
    const stranger = await aUser(world.server.url, world.owner, 'annotator')
    const owner = await aUser(world.server.url, world.owner, 'owner')
    for (const { id } of [member, stranger, owner]) await bring(id)
    expect(await namesOf()).toEqual([member.username, owner.username].toSorted())
    expect(await world.owner.done<DatasetProgress>(`GET ${dataset.path}/progress`)).toMatchObject({ total: 3, completed: 3 })

    await world.owner.done(`DELETE /workspaces/${world.workspaceId}/users/${member.id}`)
    expect(await namesOf()).toEqual([member.username, owner.username].toSorted())

    await world.owner.done(`POST /workspaces/${world.workspaceId}/users`, { user_id: stranger.id })
    expect(await namesOf()).toEqual([member.username, owner.username, stranger.username].toSorted())
    await world.owner.done(`DELETE /workspaces/${world.workspaceId}/users/${stranger.id}`)
    expect(await namesOf()).toEqual([member.username, owner.username].toSorted())
  })

  test('stay counted if the user responds as a member later, and leaves', async () => {
    const person = await aUser(world.server.url, world.owner, 'annotator')
    await bring(person.id)
    await world.owner.done(`POST /workspaces/${world.workspaceId}/users`, { user_id: person.id })
    const [record] = await addRecords(world, dataset, [{ fields: { text: 'a' } }])
    await person.done(`POST /records/${record?.id}/responses`, submitted())
    await world.owner.done(`DELETE /workspaces/${world.workspaceId}/users/${person.id}`)
    expect(await namesOf()).toContain(person.username)
  })
})
