/** Special results of use cases, besides plain values. */
import type { Route, RouteInput } from '@postil/domain/api/route'
import { DomainError } from '@postil/domain/errors'
import type { Id } from '@postil/domain/schema'

/** A response that is JSON text already: lists of records are assembled from stored JSON without parsing it. */
export class JsonText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** An array sends the header several times. */
export type Headers = Record<string, string | string[]>

/** A response with additional headers. */
export class WithHeaders {
  readonly headers: Headers
  readonly value: unknown
  constructor(headers: Headers, value: unknown) {
    this.headers = headers
    this.value = value
  }
}

/**
 * The response comes from another route: for work that begins in another thread and ends with a write. That route is internal and
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
  /** The last entry of the dataset's log that the caller has seen. */
  after: number
  seconds: number
}

/** A response for long polling: if the dataset's log grows in time, the call is made again (`http/long-polls.ts`). */
export class WhenChanged {
  readonly value: unknown
  readonly change: AwaitedChange
  constructor(value: unknown, change: AwaitedChange) {
    this.value = value
    this.change = change
  }
}

/** A response with a status other than the contract's default. */
export class WithStatus {
  readonly status: number
  readonly value: unknown
  constructor(status: number, value: unknown) {
    this.status = status
    this.value = value
  }
}

/** A stored file for download (`http/send-file.ts`). Only for routes that run on the main thread. */
export class StoredFile {
  readonly id: Id
  readonly name: string
  readonly mediaType: string
  readonly size: number
  constructor(file: { id: Id; name: string; mediaType: string; size: number }) {
    this.id = file.id
    this.name = file.name
    this.mediaType = file.mediaType
    this.size = file.size
  }
}

/**
 * A download that is sent in parts (`http/send-parts.ts`). The next part is requested when the client has received this one, so
 * nothing is buffered for slow or disconnected clients. `next` is null after the last part.
 */
export class InParts<R extends Route = Route> {
  readonly bytes: Uint8Array
  readonly file: { name: string; mediaType: string }
  readonly next: { route: R; body: RouteInput<R>['body'] } | null
  constructor(bytes: Uint8Array, file: { name: string; mediaType: string }, next: InParts<R>['next']) {
    this.bytes = bytes
    this.file = file
    this.next = next
  }
}

/** A response to a request that wrote this many records. */
export class WithRecords {
  readonly records: number
  readonly value: unknown
  constructor(records: number, value: unknown) {
    this.records = records
    this.value = value
  }
}

/** Thrown if the settings have changed since the call was prepared (`prepare` in `http/serve.ts`): it is prepared once more. */
export class PrepareAgain extends DomainError {
  constructor() {
    super('unavailable', 'The settings of the dataset were changed in between. Try again.')
  }
}
