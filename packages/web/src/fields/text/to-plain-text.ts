/** A value as text: of another kind than its field says only where data came from elsewhere. */
export const toPlainText = (value: unknown): string =>
  typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value, null, 2)
