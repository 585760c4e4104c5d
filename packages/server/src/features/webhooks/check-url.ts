import { invalid } from '@postil/domain/errors'
import type { Context } from '../../context.ts'
import { refusedByUrl } from '../../lib/outgoing.ts'

/** As far as the URL itself shows it. Where a host name leads to is checked with every request. */
export function checkUrl({ config }: Pick<Context, 'config'>, url: string): void {
  const reason = refusedByUrl(url, { allowPrivate: config.webhooksAllowPrivateAddresses })
  if (reason !== null) throw invalid(reason, ['url'])
}
