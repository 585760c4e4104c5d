// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are code.
import { type FaultGroup, faultsIn } from './fault.ts'

const DOMAIN = 'packages/domain/src'
const SERVER = 'packages/server/src'

const permissions: FaultGroup = {
  name: 'permissions',
  unit: [`${SERVER}/features/datasets`, `${SERVER}/features/workspaces`, `${SERVER}/features/users`],
  contract: ['contract/permissions.test.ts'],
  routes: [],
  faults: faultsIn(DOMAIN, [
    [
      'members-only',
      'everyone is a member of every workspace',
      'permissions.ts',
      'isOwner(actor) || actor.workspace_ids.includes(thing.workspace_id)',
      "isOwner(actor) || thing.workspace_id !== ''",
    ],
    [
      'member-admins-only',
      'admins administer workspaces of which they are not members',
      'permissions.ts',
      "(actor.role === 'admin' && isMember(actor, thing))",
      "(actor.role === 'admin' && isMember(actor, thing) !== null)",
    ],
    [
      'admins-only',
      'annotators administer their workspaces',
      'permissions.ts',
      "(actor.role === 'admin' && isMember(actor, thing))",
      'isMember(actor, thing)',
    ],
    [
      'hidden-properties',
      'annotators see hidden metadata properties',
      'permissions.ts',
      '(isMember(actor, dataset) && property.visible_for_annotators)',
      'isMember(actor, dataset)',
    ],
    [
      'key-of-others',
      'admins see the API keys of others',
      'permissions.ts',
      'isOwner(actor) || actor.id === userId',
      "actor.role !== 'annotator' || actor.id === userId",
    ],
    [
      'response-of-others',
      'members change the responses of others',
      'permissions.ts',
      'response.user_id === actor.id || isMemberAdmin(actor, dataset)',
      'response.user_id === actor.id || isMember(actor, dataset)',
    ],
    [
      'workspace-users-of-others',
      'annotators list members',
      'permissions.ts',
      'canListWorkspaceUsers = (actor: Actor, id: Id) => isMemberAdmin(',
      'canListWorkspaceUsers = (actor: Actor, id: Id) => isMember(',
    ],
    [
      'users-by-admins',
      'admins manage users',
      'permissions.ts',
      'canManageUsers = isOwner',
      "canManageUsers = (actor: Actor) => actor.role !== 'annotator'",
    ],
    [
      'audit-log-by-admins',
      'admins read the audit log',
      'permissions.ts',
      'canReadAuditLog = isOwner',
      "canReadAuditLog = (actor: Actor) => actor.role !== 'annotator'",
    ],
  ]),
}

const input: FaultGroup = {
  name: 'input and answers',
  unit: [
    ...['validate', 'validate-schema', 'body', 'errors', 'page-data'].map(name => `${SERVER}/http/${name}.test.ts`),
    `${SERVER}/storage/transactions.test.ts`,
    `${SERVER}/features/users/create-first-owner.test.ts`,
    `${SERVER}/features/users/create.test.ts`,
  ],
  contract: [
    'contract/people.test.ts',
    'contract/settings.test.ts',
    'contract/wire.test.ts',
    'contract/described-errors.test.ts',
  ],
  routes: ['createUser', 'updateUser', 'createDataset', 'updateDataset', 'createRecordsBulk', 'createQuestion'],
  faults: [
    ...faultsIn(`${SERVER}/http`, [
      [
        'admit-skipped',
        'large bodies of callers without the right are read',
        'admit.ts',
        'await admit?.(requestCtx, read as never)',
        '',
      ],
      [
        'unauthenticated',
        'callers without credentials are let in',
        'read-input.ts',
        'if (auth && !actor) throw',
        'if (auth && actor === undefined) throw',
      ],
      [
        'unknown-keys',
        'keys that the contract does not name reach the code',
        'validate-schema.ts',
        'const output: JsonObject = {}\n    for (const part of parts)',
        'const output: JsonObject = { ...value }\n    for (const part of parts)',
      ],
      [
        'prototype-key',
        'a key `__proto__` changes the prototype',
        'validate-schema.ts',
        "if (key !== '__proto__') object[key] = value",
        'if (key) object[key] = value',
      ],
      [
        'null-accepted',
        'a change sets properties to null that always have a value',
        'validate-schema.ts',
        'if (nulls.length > 0) return report',
        'if (nulls.length > 9) return report',
      ],
      [
        'list-too-long',
        'lists have one item too many',
        'validate-schema.ts',
        'value.length > maxItems)',
        'value.length > maxItems + 1)',
      ],
      [
        'defaults-shared',
        'all requests share one default value',
        'validate-schema.ts',
        '() => structuredClone(fallback)',
        '() => fallback',
      ],
      ['not-trimmed', 'names keep white space around them', 'validate-scalars.ts', 'if (trim) text = text.trim()', ''],
      [
        'text-too-long',
        'texts are one character too long',
        'validate-scalars.ts',
        'if (length > maxLength) {',
        'if (length > maxLength + 1) {',
      ],
      [
        'text-too-short',
        'empty names are accepted',
        'validate-scalars.ts',
        'if (length < minLength) {',
        'if (length < minLength - 1) {',
      ],
      [
        'text-nul',
        'texts contain NUL, which PostgreSQL refuses',
        'validate-scalars.ts',
        "if (text.includes('\\0')) return",
        "if (text === '\\0') return",
      ],
      [
        'number-too-large',
        'numbers are above their maximum',
        'validate-scalars.ts',
        'holds: n => n <= maximum',
        'holds: n => n <= maximum + 1',
      ],
      [
        'id-spelling',
        'an id in upper case is another id',
        'validate-scalars.ts',
        'let bare = text.toLowerCase()',
        'let bare = text',
      ],
      [
        'page-data-escaping',
        'names of users and datasets run as scripts in the page',
        'page-data.ts',
        "Buffer.from(bytes.toString().replaceAll('<', '\\\\u003c'))",
        'bytes',
      ],
      [
        'internal-message',
        'internal errors show their message',
        'errors.ts',
        'message: `The server failed to answer. Its log tells more under request ${requestId}.`',
        'message: String(error)',
      ],
      [
        'missing-body',
        'a missing body is an internal error',
        'read-input.ts',
        'if (given === undefined || given === null) {',
        'if (given === null) {',
      ],
    ]),
    ...faultsIn(DOMAIN, [
      ['status-conflict', 'a taken name is 400 instead of 409', 'errors.ts', 'not_unique: 409', 'not_unique: 400'],
      ['status-not-found', 'a missing thing is 400 instead of 404', 'errors.ts', 'not_found: 404', 'not_found: 400'],
    ]),
    ...faultsIn(SERVER, [
      [
        'lost-events',
        'a change is stored without its entries in the change log',
        'storage/write.ts',
        'tx.heads.size > 0 ? await appendChanges',
        'tx.heads.size > 1 ? await appendChanges',
      ],
      [
        'first-owner-again',
        'a restart creates a second owner',
        'features/users/create-first-owner.ts',
        ': !(await hasUsers(db))',
        ': true',
      ],
      [
        'first-owner-overwritten',
        'a restart creates the owner of the settings again',
        'features/users/create-first-owner.ts',
        '(await findUserByUsername(db, given.username)) === null',
        'given.username.length > 0',
      ],
    ]),
  ],
}

export const foundationGroups: FaultGroup[] = [permissions, input]
