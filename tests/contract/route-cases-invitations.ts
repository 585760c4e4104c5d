import type { CreatedInvitation } from '@postil/domain/invitations'
import { fresh, type World } from './http.ts'
import { OWNER, OWNER_FIRST, type RouteCases } from './route-case.ts'

const invite = ({ owner }: World, given: object = {}) => owner.done<CreatedInvitation>('POST /invitations', given)

export const invitationCases: Record<string, RouteCases> = {
  createInvitation: {
    request: ({ workspaceId }) => ({ body: { username: fresh('invited'), role: 'admin', workspace_ids: [workspaceId] } }),
    permission: OWNER,
    invalid: [
      {
        body: { username: '', role: 'king', workspace_ids: ['x'], expires_in_hours: 0 },
        problems: [
          ['string_too_short', 'body', 'username'],
          ['enum', 'body', 'role'],
          ['uuid_parsing', 'body', 'workspace_ids', 0],
          ['greater_than_equal', 'body', 'expires_in_hours'],
        ],
      },
      { body: { expires_in_hours: 721 }, problems: [['less_than_equal', 'body', 'expires_in_hours']] },
      {
        body: { workspace_ids: Array(101).fill('0190b9d0-0000-7000-8000-00000000abcd') },
        problems: [['too_long', 'body', 'workspace_ids']],
      },
    ],
  },
  listInvitations: {
    request: () => ({ query: 'status=open&limit=10' }),
    permission: OWNER,
    invalid: [
      {
        query: 'status=lost&limit=0&before=x',
        problems: [
          ['enum', 'query', 'status'],
          ['greater_than_equal', 'query', 'limit'],
          ['uuid_parsing', 'query', 'before'],
        ],
      },
    ],
  },
  revokeInvitation: {
    request: async world => ({ params: { invitation_id: (await invite(world)).id } }),
    permission: OWNER_FIRST,
  },
  lookUpInvitation: {
    request: async world => ({ body: { token: (await invite(world)).token } }),
    invalid: [
      { body: {}, problems: [['missing', 'body', 'token']] },
      { body: { token: 'x'.repeat(201) }, problems: [['string_too_long', 'body', 'token']] },
    ],
  },
  acceptInvitation: {
    request: async world => {
      const { token } = await invite(world)
      return { body: { token, username: fresh('accepted'), first_name: 'Lena', password: 'a long password' } }
    },
    invalid: [
      {
        body: { token: '', username: '', first_name: ' ', last_name: '', password: '1234567' },
        problems: [
          ['string_too_short', 'body', 'token'],
          ['string_too_short', 'body', 'username'],
          ['string_too_short', 'body', 'first_name'],
          ['string_too_short', 'body', 'last_name'],
          ['string_too_short', 'body', 'password'],
        ],
      },
    ],
  },
}
