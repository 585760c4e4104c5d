/** What a use case may answer besides plain values. */
import type { Route, RouteInput } from '@postil/domain/api/route'
import { DomainError } from '@postil/domain/errors'
import type { Id } from '@postil/domain/schema'

/** An answer that is JSON text already: lists of records are put together from stored JSON without parsing it. */
export class JsonText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** A header that is sent several times has several values. */
export type Headers = Record<string, string | string[]>

/** An answer with headers of its own. */
export class WithHeaders {
  readonly headers: Headers
  readonly value: unknown
  constructor(headers: Headers, value: unknown) {
    this.headers = headers
    this.value = value
  }
}

/**
 * The answer is another route's: for work that begins in another thread and ends with a write. That route is served but is
 * not a contract, so HTTP clients cannot call it. Its body is not validated again.
 */
export class OnWriter<R extends Route = Route> {
  readonly route: R
  readonly body: RouteInput<R>['body']
  constructor(route: R, body: RouteInput<R>['body']) {
    this.route = route
    this.body = body
  }
}

export interface AwaitedChange {
  datasetId: Id
  /** The last entry of the dataset's log that the caller knows. */
  after: number
  seconds: number
}

/** An answer that can wait: if the dataset's log grows within the time, the call is made again (`http/long-polls.ts`). */
export class WhenChanged {
  readonly value: unknown
  readonly change: AwaitedChange
  constructor(value: unknown, change: AwaitedChange) {
    this.value = value
    this.change = change
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

/** An answer to a request that wrote this many records. */
export class WithRecords {
  readonly records: number
  readonly value: unknown
  constructor(records: number, value: unknown) {
    this.records = records
    this.value = value
  }
}

/** Thrown if a call was prepared (`prepare` in `http/serve.ts`) with settings that have changed since: it is prepared once more. */
export class PrepareAgain extends DomainError {
  constructor() {
    super('unavailable', 'The settings of the dataset were changed in between. Try again.')
  }
}
