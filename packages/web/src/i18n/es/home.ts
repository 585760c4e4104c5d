import type { home as english } from '../en/home.ts'

export const home: Record<keyof typeof english, string> = {}
