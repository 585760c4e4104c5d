/** Rejects after `ms`. A value that resolves later is passed to `onLate`. */
export function withTimeout<T>(work: Promise<T>, ms: number, onLate: (value: T) => void = () => undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      reject(new Error('The browser’s storage does not answer'))
    }, ms)
    work.then(value => (isLate ? onLate(value) : resolve(value)), reject).finally(() => clearTimeout(timer))
  })
}
