/** Remote control of a browser: the W3C WebDriver commands that the tests use. */
export interface Driver {
  /** Name and version that the browser reports. */
  name: string
  /** Returns the command's value. */
  send(command: Command, parameters?: Record<string, unknown>): Promise<unknown>
  close(): Promise<void>
}

/** Firefox's command names -> method and path for drivers that use HTTP. */
export const COMMANDS = {
  Navigate: ['POST', 'url'],
  SetTimeouts: ['POST', 'timeouts'],
  SetWindowRect: ['POST', 'window/rect'],
  ExecuteScript: ['POST', 'execute/sync'],
  SwitchToFrame: ['POST', 'frame'],
  PerformActions: ['POST', 'actions'],
  TakeScreenshot: ['GET', 'screenshot'],
} as const

export type Command = keyof typeof COMMANDS

/** Command timeout, far above the time that a busy machine needs. */
export const COMMAND_MS = 180_000

export const toError = (command: string, { error, message }: { error: string; message: string }) =>
  new Error(`${command}: ${error}: ${message}`)
