/**
 * Archived datasets: hidden on the home page by default, otherwise unchanged. The time of archiving has its own key in the
 * dataset's metadata, because a metadata update leaves other keys unchanged.
 */
import type { Dataset } from '@postil/domain/datasets'

const KEY = 'postil_archived_at'

export const isArchived = ({ metadata }: Pick<Dataset, 'metadata'>): boolean => typeof metadata?.[KEY] === 'string'

/** Metadata update that archives or restores a dataset. */
export const toArchiveMetadata = (isArchived: boolean, now = new Date()) => ({ [KEY]: isArchived ? now.toISOString() : null })
