import { ConfigError, readConfig } from '../config.ts'

/** What readConfig says is wrong, or nothing. */
export function problems(env: Record<string, string>): string[] {
  try {
    readConfig(env)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}
