/** Converts a value to text. Values of another type than the field's only occur in imported data. */
export const toPlainText = (value: unknown): string =>
  typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value, null, 2)
