/** A server with an owner, an admin (`adam`) and an annotator (`ann`) in the workspace `default`, all logged in. */
import { type Client, createClient } from '@postil/client'
import { type StartedServer, startServer } from '../server.ts'
import type { Person } from './run.ts'

export interface Fixture {
  server: StartedServer
  /** Client of the owner. */
  client: Client
  owner: Person
  admin: Person
  annotator: Person
  close(): Promise<number>
}

/** `env`: settings of the server. */
export async function openFixture(newPerson: () => Person, env: Record<string, string> = {}): Promise<Fixture> {
  const server = await startServer({ env })
  const client = createClient({ url: server.url, apiKey: server.apiKey })
  const create = async (username: string, role: 'admin' | 'annotator') => {
    const body = { username, first_name: username, role, password: `password of ${username}`, workspaces: [server.workspace] }
    return (await client.createUser({ body })).api_key ?? ''
  }
  const logIn = async (apiKey: string) => {
    const person = newPerson()
    const { code, stdout } = await person.run(['login', '--api-url', server.url, '--api-key', apiKey])
    if (code !== 0) throw new Error(stdout)
    return person
  }
  return {
    server,
    client,
    owner: await logIn(server.apiKey),
    admin: await logIn(await create('adam', 'admin')),
    annotator: await logIn(await create('ann', 'annotator')),
    close: () => server.close(),
  }
}
