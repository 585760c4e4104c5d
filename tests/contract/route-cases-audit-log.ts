import { aUser } from './http.ts'
import { OWNER, type RouteCases } from './route-case.ts'

export const auditLogCases: Record<string, RouteCases> = {
  listAuditLog: {
    request: async world => {
      const { id } = await aUser(world.server.url, world.owner, 'annotator')
      return { query: `action=user.created&action=user.deleted&target_type=user&target_id=${id}&since=now-1d&limit=2` }
    },
    permission: OWNER,
    invalid: [
      { query: 'action=user.created&action=user.', problems: [['enum', 'query', 'action', 1]] },
      { query: 'target_type=cat', problems: [['enum', 'query', 'target_type']] },
      {
        query: 'actor_id=ada&target_id=1',
        problems: [
          ['uuid_parsing', 'query', 'actor_id'],
          ['uuid_parsing', 'query', 'target_id'],
        ],
      },
      { query: 'limit=0', problems: [['greater_than_equal', 'query', 'limit']] },
      { query: 'limit=501', problems: [['less_than_equal', 'query', 'limit']] },
      {
        query: `before=&since=${'x'.repeat(101)}`,
        problems: [
          ['string_too_long', 'query', 'since'],
          ['string_too_short', 'query', 'before'],
        ],
      },
    ],
  },
}
