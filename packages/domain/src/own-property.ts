/** Returns the object's own property, or undefined. Keys such as `constructor` and `__proto__` must not reach the prototype. */
export function ownProperty<T>(object: { readonly [key: string]: T }, key: string): T | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}
