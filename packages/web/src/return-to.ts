import { toLocalPath } from '@postil/domain/local-path'
import type { RouteLocationNormalized } from 'vue-router'

/** Path to open after sign-in; always a path on this server, to prevent open redirects. */
export const returnTo = ({ query }: Pick<RouteLocationNormalized, 'query'>): string => toLocalPath(query.to)
