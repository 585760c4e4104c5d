/** Error messages for requests that the server rejects. Keys with `answer_…` are about answers to records. */
export const problems = {
  no_access: 'You do not have permission to do this. Ask an admin of the workspace for access, or to do it for you.',
  gone: 'This no longer exists, or you no longer have access to it. Reload the page to see what is there now.',
  too_many: 'Too many requests at once. Wait a few seconds and try again.',
  storage_full: 'The server has no disk space left. Tell the person who runs it, and try again later.',
  too_large: 'This is more than the server accepts at once. Details: {message}',
  not_now: 'This does not work right now. Try again in a moment. Details: {message}',
  refused: 'The server did not accept this. Details: {message}',
  answer_membership:
    'You are no longer a member of this workspace. Ask an admin of the workspace to add you, then send your answer again.',
  answer_value: 'This answer was not accepted. Details: {message}',
  answer_question: 'The answer to “{question}” was not accepted. Details: {message}',
  answer_again: 'Send again',
} as const
