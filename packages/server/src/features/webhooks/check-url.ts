import { invalid } from '@postil/domain/errors'
import type { Context } from '../../context.ts'
import { urlRefusal } from '../../lib/outgoing.ts'

/** Checks only the URL itself. The addresses of its host name are checked on every request. */
export function checkUrl({ config }: Pick<Context, 'config'>, url: string): void {
  const reason = urlRefusal(url, { allowPrivate: config.webhooksAllowPrivateAddresses })
  if (reason !== null) throw invalid(reason, ['url'])
}
