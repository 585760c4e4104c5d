/** Role of a deleted user whose row is still needed, because their responses refer to it until a job has removed them. */
export const DELETED = 'deleted'

/** Role of a deleted user whose responses were kept. This user cannot sign in and is shown only as an author. */
export const PSEUDONYM = 'pseudonym'

/** SQL condition for users `u` who are not deleted. */
export const IS_USER = `u.role not in ('${DELETED}', '${PSEUDONYM}')`

/** SQL condition for users `u` whose responses and comments are shown: users who are not deleted, and pseudonyms. */
export const IS_AUTHOR = `u.role <> '${DELETED}'`
