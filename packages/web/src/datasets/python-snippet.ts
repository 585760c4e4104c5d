/** The first lines of a Python program that uses this server. */

export const MASK = '••••••••••'

/** Quotes a Python string literal, because names and keys are user data. */
const quoted = (text: string) => JSON.stringify(text)

/**
 * Installs `requests` too, because the SDK imports it without declaring the dependency. `imports` are additional import lines.
 */
export const pythonSnippet = (serverUrl: string, apiKey: string, imports: readonly string[] = []) =>
  `${['# pip install argilla requests', ...imports, 'import argilla as rg'].join('\n')}

client = rg.Argilla(
  api_url=${quoted(serverUrl)},
  api_key=${quoted(apiKey)},
)`
