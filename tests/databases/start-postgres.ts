/** Offers one PostgreSQL to all tests of a run, unless the run has one already. */
import { openPostgresDoor, type PostgresDoor } from './postgres-door.ts'

let door: PostgresDoor | null = null

/** Called by vitest before the first test. */
export async function setup(): Promise<void> {
  if (process.env.POSTIL_TEST_POSTGRES_URL || process.env.POSTIL_TEST_POSTGRES_DOOR) return
  door = await openPostgresDoor()
  process.env.POSTIL_TEST_POSTGRES_DOOR = door.url
}

/** Called by vitest after the last one. */
export async function teardown(): Promise<void> {
  await door?.close()
}
