import { CONTRACTS } from '@postil/domain/api/all'
import { createDataset } from '@postil/domain/api/datasets'
import { getVersion } from '@postil/domain/api/info'
import type { Dataset, DatasetCreate } from '@postil/domain/datasets'
import type { Field } from '@postil/domain/fields'
import type { SearchBody } from '@postil/domain/search/query'
import { expect, expectTypeOf, test } from 'vitest'
import { type Client, createClient, signIn } from './client.ts'

const client = createClient({ url: 'http://postil.test' })

test('the client has a method for every contract that the server mounts and whose answer ends, and no other', () => {
  const { call, batchSize, ...methods } = client
  const ending = CONTRACTS.filter(({ stream }) => !stream)
  expect(Object.keys(methods).sort()).toEqual(ending.map(({ id }) => id).sort())
  expect(batchSize).toBe(100)
})

test('call takes any contract', async () => {
  const fetch = async () => new Response('{"version":"1.0"}')
  expect(await createClient({ url: '', fetch }).call(getVersion)).toEqual({ version: '1.0' })
})

test('signIn asks for a token and uses it', async () => {
  const sent: RequestInit[] = []
  const fetch = async (_: string, init: RequestInit) => {
    sent.push(init)
    return sent.length === 1
      ? new Response('{"access_token":"t","token_type":"bearer"}', { status: 201 })
      : new Response('{"items":[]}')
  }
  const client = await signIn({ url: '', username: 'u', password: 'p', fetch })
  await client.listMyWorkspaces()
  expect(sent).toMatchObject([{ body: 'username=u&password=p' }, { headers: { authorization: 'Bearer t' } }])
})

test('methods have the types of their contracts', () => {
  type Input<Name extends keyof Client> = Client[Name] extends (...given: infer Given) => unknown ? Given[0] : never

  expectTypeOf<Input<'createDataset'>>().toExtend<{ body: DatasetCreate }>()
  expectTypeOf<{ body: DatasetCreate }>().toExtend<Input<'createDataset'>>()
  expectTypeOf(client.createDataset).returns.resolves.toEqualTypeOf<Dataset>()
  expectTypeOf(client.listFields).returns.resolves.toEqualTypeOf<{ items: Field[] }>()
  expectTypeOf(client.deleteRecords).returns.resolves.toEqualTypeOf<undefined>()
  expectTypeOf(client.call<typeof createDataset>).returns.resolves.toEqualTypeOf<Dataset>()
  expectTypeOf<{ params: { dataset_id: string }; body: SearchBody }>().toExtend<Input<'searchRecords'>>()

  // Methods without required input can be called without arguments.
  expectTypeOf<[]>().toExtend<Parameters<Client['getMe']>>()
  expectTypeOf<[]>().toExtend<Parameters<Client['listMyDatasets']>>()
  expectTypeOf<[]>().not.toExtend<Parameters<Client['getDataset']>>()
})

test('wrong inputs do not compile', () => {
  const wrong = [
    // @ts-expect-error The contract has a path parameter.
    () => client.getDataset(),
    // @ts-expect-error It is called otherwise.
    () => client.getDataset({ params: { id: 'x' } }),
    // @ts-expect-error A dataset needs a name.
    () => client.createDataset({ body: { workspace_id: 'x' } }),
    // @ts-expect-error Not a status.
    () => client.listDatasets({ query: { status: 'done' } }),
    // @ts-expect-error A search needs a body, if an empty one.
    () => client.searchRecords({ params: { dataset_id: 'x' } }),
    // @ts-expect-error The lists of contracts are no methods.
    () => client.userRoutes(),
    // @ts-expect-error The same through `call`.
    () => client.call(createDataset),
  ]
  expect(wrong.length).toBe(7)
})
