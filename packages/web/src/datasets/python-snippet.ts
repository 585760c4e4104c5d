/** The first lines of a Python program that speaks to this server. */

export const MASK = '••••••••••'

/** As Python writes a text: names and keys are data. */
const quoted = (text: string) => JSON.stringify(text)

export const pythonSnippet = (serverUrl: string, apiKey: string) => `import argilla as rg

client = rg.Argilla(
  api_url=${quoted(serverUrl)},
  api_key=${quoted(apiKey)},
)`
