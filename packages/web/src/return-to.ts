import { toOwnPath } from '@postil/domain/own-path'
import type { RouteLocationNormalized } from 'vue-router'

/** Where to go after sign-in; only ever a path of ours. */
export const returnTo = ({ query }: Pick<RouteLocationNormalized, 'query'>): string => toOwnPath(query.to)
