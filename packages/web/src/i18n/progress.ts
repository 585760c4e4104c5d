/** Progress of a job in words: of bytes with their unit, of records and answers as numbers. */
import type { JobProgress } from '@postil/domain/jobs'
import { fileSize } from './file-size.ts'
import { n, t } from './i18n.ts'

export function progressText({ done, total, unit }: JobProgress): string {
  const amount = unit === 'bytes' ? fileSize : n
  return total === null
    ? t('common.amount_done', { done: amount(done) })
    : t('common.amount_of_total', { done: amount(done), total: amount(total) })
}
