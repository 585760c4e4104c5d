import { ConfigError, readConfig } from '../config.ts'

/** Returns the problems that readConfig reports. */
export function configProblems(env: Record<string, string>): string[] {
  try {
    readConfig(env)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}
