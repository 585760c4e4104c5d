/** The role of a deleted user whose row is still needed: their responses refer to it until a job has removed them. */
export const DELETED = 'deleted'

/** SQL that is true for users `u` who are not deleted. */
export const IS_USER = `u.role <> '${DELETED}'`
