import type { DatasetUsersProgress } from '@postil/domain/datasets'

/** Responses of all people and statuses. */
export const countAnswers = ({ users }: DatasetUsersProgress): number =>
  users
    .flatMap(({ completed, pending }) => [completed, pending])
    .reduce((sum, { submitted, discarded, draft }) => sum + submitted + discarded + draft, 0)
