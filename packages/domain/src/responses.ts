export const RESPONSE_STATUSES = ['draft', 'submitted', 'discarded'] as const
export type ResponseStatus = (typeof RESPONSE_STATUSES)[number]
