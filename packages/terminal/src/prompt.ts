/** Prompts on the terminal. Answers can also come through a pipe, one per line. */
import { createInterface, type Interface } from 'node:readline'
import { Writable } from 'node:stream'

/** A prompt got no answer, or an invalid one. */
export class PromptError extends Error {
  override readonly name = 'PromptError'
}

interface Prompts {
  lines: Interface
  /** Lines that arrived before their prompt. */
  buffered: string[]
  ended: boolean
  isHidden: boolean
  onLine: (() => void) | null
}

let opened: Prompts | null = null

/** One reader serves all prompts of a command, because a second reader would lose lines that the first has buffered. */
function openPrompts(): Prompts {
  const output = new Writable({
    write(chunk, encoding, done) {
      if (!prompts.isHidden) process.stderr.write(chunk, encoding)
      done()
    },
  })
  const lines = createInterface({ input: process.stdin, output, terminal: process.stdin.isTTY === true })
  const prompts: Prompts = { lines, buffered: [], ended: false, isHidden: false, onLine: null }
  const wake = () => prompts.onLine?.()
  lines.on('line', line => {
    prompts.buffered.push(line)
    wake()
  })
  lines.on('close', () => {
    prompts.ended = true
    wake()
  })
  return prompts
}

export function closePrompts(): void {
  opened?.lines.close()
  opened = null
}

/**
 * Prompts for a value. The input is not echoed if `hidden` is set. `option` names the command-line option in the error message.
 */
export async function ask(label: string, { hidden = false, option }: { hidden?: boolean; option: string }): Promise<string> {
  opened ??= openPrompts()
  const prompts = opened
  process.stderr.write(`${label}: `)
  prompts.isHidden = hidden
  while (prompts.buffered.length === 0 && !prompts.ended) {
    await new Promise<void>(resolve => {
      prompts.onLine = resolve
    })
  }
  prompts.isHidden = false
  if (hidden && process.stdin.isTTY) process.stderr.write('\n')
  const answer = prompts.buffered.shift()
  if (answer === undefined) throw new PromptError(`${label} is missing. Give it with ${option}.`)
  return answer
}

/** Prompts for a new password twice. */
export async function askNewPassword(): Promise<string> {
  const password = await ask('Password', { hidden: true, option: '--password' })
  const again = await ask('Repeat the password', { hidden: true, option: '--password' })
  if (password !== again) throw new PromptError('The two passwords differ.')
  return password
}
