import { hash } from 'node:crypto'
import { skeletonOf } from '@postil/domain/confusables'

/** Stored with each name. A hash, because a skeleton may be longer than PostgreSQL can index. */
export const hashSkeleton = (name: string): string => hash('sha256', skeletonOf(name), 'base64url')
