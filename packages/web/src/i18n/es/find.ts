import type { find as english } from '../en/find.ts'

export const find: Record<keyof typeof english, string> = {}
