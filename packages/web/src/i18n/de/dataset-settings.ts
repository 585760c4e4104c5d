import type { datasetSettings as english } from '../en/dataset-settings.ts'

export const datasetSettings: Record<keyof typeof english, string> = {}
