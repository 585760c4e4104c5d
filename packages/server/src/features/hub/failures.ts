/**
 * A permanent failure: the request is not possible with the hub or its data, and a retry would not help. The message is shown to
 * the user who started the job.
 */
export class HubRefusal extends Error {
  override readonly name = 'HubRefusal'
}

/** A temporary failure: the hub cannot be reached or has problems, and a retry may succeed. */
export class HubUnavailable extends Error {
  override readonly name = 'HubUnavailable'
}
