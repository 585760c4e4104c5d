/** What a use case may answer besides plain values. */

/** An answer that is JSON text already: lists of records are put together from stored JSON without parsing it. */
export class JsonText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** An answer with another status than the contract's usual one. */
export class WithStatus {
  readonly status: number
  readonly value: unknown
  constructor(status: number, value: unknown) {
    this.status = status
    this.value = value
  }
}
