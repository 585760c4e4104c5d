import { readConfig } from '../config.ts'
import type { Context } from '../context.ts'
import { lockFolder } from '../lib/lock.ts'
import { openSecrets } from '../lib/secrets.ts'
import { openContext } from '../open-context.ts'

/** Runs a command's work on the data folder, alone unless it only reads. */
export async function withHome<T>(options: { readonly: boolean }, work: (ctx: Context) => Promise<T>): Promise<T> {
  const config = readConfig()
  const release = options.readonly ? () => {} : lockFolder(config.homePath)
  try {
    const secrets = openSecrets(config.homePath, config.authSecretKey)
    const ctx = openContext({ config, secrets, readonly: options.readonly, cacheMb: 64 })
    try {
      return await work(ctx)
    } finally {
      await ctx.db.close()
    }
  } finally {
    release()
  }
}
