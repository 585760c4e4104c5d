export const datasetSettings = {} as const
