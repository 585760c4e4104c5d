import type { DatasetUsersProgress } from '@postil/domain/datasets'

/** Returns the number of responses of all users, in any status. */
export const countAnswers = ({ users }: DatasetUsersProgress): number =>
  users
    .flatMap(({ completed, pending }) => [completed, pending])
    .reduce((sum, { submitted, discarded, draft }) => sum + submitted + discarded + draft, 0)
