// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are code.
import { type FaultGroup, faultsIn } from './fault.ts'

const FEATURES = 'packages/server/src/features'
const SESSIONS = `${FEATURES}/sessions`
const HTTP = 'packages/server/src/http'

const sessions: FaultGroup = {
  name: 'sessions',
  unit: [SESSIONS, `${FEATURES}/token`, `${FEATURES}/audit-log`, `${HTTP}/identify.test.ts`, `${HTTP}/sender.test.ts`],
  contract: [
    'contract/people.test.ts',
    'contract/accounts.test.ts',
    'contract/audit-log-details.test.ts',
    'contract/guessing.test.ts',
    'contract/named-user.test.ts',
    'contract/base-url.test.ts',
  ],
  routes: ['createSession', 'deleteSession', 'listMySessions', 'deleteMySession', 'createToken'],
  faults: [
    ...faultsIn(SESSIONS, [
      ['session-sign-out', 'a session outlives signing out', 'end.ts', 'await deleteSessionByHash(tx, sessionHash)', ''],
      [
        'session-sign-out-audit',
        'the audit log does not show who signed out',
        'end.ts',
        "if (user) await audit(tx, { ...ctx, actor: user }, { action: 'user.signed_out', target: asTarget(user) })",
        '',
      ],
      [
        'session-of-others',
        'anybody who knows the id ends the session of another user',
        'store.ts',
        "where id = ? and user_id = ?', [id, userId]",
        "where id = ?', [id]",
      ],
      [
        'session-not-kept',
        'a session ends though it is used',
        'keep.ts',
        'expires_at: later(now, ctx.config.sessionSeconds)',
        'expires_at: later(now, 60)',
      ],
      [
        'session-current',
        'every session seems to be the current one',
        'list.ts',
        'secret_hash === ctx.sender.sessionHash',
        "secret_hash !== ''",
      ],
      [
        'session-list-of-all',
        'everyone lists the sessions of all users',
        'store.ts',
        'where user_id = ? and expires_at > ? order by',
        'where length(user_id) = length(?) and expires_at > ? order by',
      ],
      [
        'session-old-password',
        'a sign-in with the old password succeeds while the password changes',
        'open.ts',
        'if (user?.credentials_version !== credentials_version) {',
        'if (!user) {',
      ],
      [
        'session-before',
        'the previous session of a browser stays valid after a new sign-in',
        'open.ts',
        'if (ctx.sender.sessionHash !== null) await deleteSessionByHash(tx, ctx.sender.sessionHash)',
        '',
      ],
      ['session-count', 'a user has any number of sessions', 'open.ts', '{ keep: SESSIONS_MAX }', '{ keep: SESSIONS_MAX * 10 }'],
      [
        'session-rehash',
        'imported passwords keep their slow hash',
        'open.ts',
        'if (password_hash !== null) await updateUserRow',
        'if (!user) await updateUserRow',
      ],
      [
        'session-expired',
        'an expired session is valid',
        'store.ts',
        'where secret_hash = ? and expires_at > ?',
        'where secret_hash = ? and inserted_at <= ?',
      ],
      ['session-except', 'all sessions end although one is to stay', 'store.ts', "[userId, except ?? '']", "[userId, '']"],
      [
        'session-revived',
        'a session that has expired is extended',
        'store.ts',
        "where id = ? and expires_at > ?'",
        "where id = ? and last_seen_at <= ?'",
      ],
      ['session-expired-stay', 'expired sessions are never deleted', 'store.ts', '[now, EXPIRED_PER_BATCH]', '[now, 0]'],
      [
        'session-foreign-sign-in',
        'pages of other origins sign people in',
        'routes.ts',
        'checkSameOrigin(ctx.sender)\n    return signIn',
        'return signIn',
      ],
      [
        'session-foreign-sign-out',
        'pages of other origins sign people out',
        'routes.ts',
        'checkSameOrigin(ctx.sender)\n    await signOut',
        'await signOut',
      ],
      [
        'session-audit',
        'the audit log does not show sign-ins',
        'open.ts',
        "await audit(tx, { ...ctx, actor }, { action: 'user.signed_in', target: asTarget(user), details })",
        '',
      ],
    ]),
    ...faultsIn(`${FEATURES}/token`, [
      [
        'sign-in-password-of-before',
        'an attempt that was delayed is checked with the password of before',
        'check-credentials.ts',
        'const current = await findUserByUsername(ctx.db, username)',
        'const current = known',
      ],
      ['sign-in-deactivated', 'deactivated users sign in', 'check-credentials.ts', 'checkIsActive(user)', ''],
      [
        'sign-in-unlimited',
        'guesses from many addresses are not counted for the account',
        'check-credentials.ts',
        "{ limit: 'account', value: username },",
        '',
      ],
      [
        'sign-in-failure-log',
        'the audit log does not show failed sign-ins',
        'check-credentials.ts',
        'if (reason !== null) signIns.add',
        "if (reason === 'too_many_attempts') signIns.add",
      ],
    ]),
    ...faultsIn(HTTP, [
      ['cookie-script', 'scripts read the session cookie', 'session-cookie.ts', "'HttpOnly', ", ''],
      ['cookie-same-site', 'other sites send the session cookie', 'session-cookie.ts', "'SameSite=Strict', ", ''],
      ['cookie-secure', 'the session cookie is sent without TLS', 'session-cookie.ts', "sender.isSecure ? ['Secure'] : []", '[]'],
      [
        'cookie-path',
        'the session cookie is sent to other applications of the host',
        'session-cookie.ts',
        'Path=${config.baseUrl}',
        'Path=/',
      ],
      ['cookie-cached', 'proxies cache answers with cookies', 'session-cookie.ts', "{ 'cache-control': 'no-store' }", '{}'],
      ['cookie-kept', 'signing out leaves the cookie', 'session-cookie.ts', "value: '', seconds: 0", "value: '', seconds: 60"],
      [
        'session-each-request',
        'every request writes the time of its session',
        'keep-sessions.ts',
        'later(session.last_seen_at, pauseSeconds) > ctx.now()',
        'later(session.last_seen_at, 0) > ctx.now()',
      ],
      [
        'csrf-header',
        'changes need no header that other sites cannot send',
        'authenticate.ts',
        "if (!headers['x-postil-csrf']) {",
        "if (headers['x-postil-csrf'] === '0') {",
      ],
      ['csrf-origin', 'pages of other origins use the session', 'authenticate.ts', '  checkSameOrigin(sender)\n  if', '  if'],
      [
        'cookie-in-image',
        'images in records load with the session',
        'authenticate.ts',
        "!['empty', 'document'].includes(String(destination))",
        "destination === ''",
      ],
      [
        'named-user',
        'a page left open by one person writes as another',
        'authenticate.ts',
        'actor === null || named === actor.id) return',
        'actor === null || named) return',
      ],
    ]),
  ],
}

export const sessionGroups: FaultGroup[] = [sessions]
