import type { bulk as english } from '../en/bulk.ts'

export const bulk: Record<keyof typeof english, string> = {}
