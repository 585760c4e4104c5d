/** The role of a deleted user whose row is still needed: their responses refer to it until a job has removed them. */
export const DELETED = 'deleted'

/** The role of a deleted user whose responses were kept: nobody can sign in as them, and they are shown only as an author. */
export const PSEUDONYM = 'pseudonym'

/** SQL that is true for users `u` who are not deleted. */
export const IS_USER = `u.role not in ('${DELETED}', '${PSEUDONYM}')`

/** SQL that is true for users `u` whose responses and comments are shown: those who are not deleted, and pseudonyms. */
export const IS_AUTHOR = `u.role <> '${DELETED}'`
