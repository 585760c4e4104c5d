/** Routes of the web UI. */
import { createRouter, createWebHistory, type RouteLocationNormalized, type RouteRecordRaw, type Router } from 'vue-router'
import { askFirst } from './features/annotate/ask-first.ts'
import { loadTexts } from './i18n/i18n.ts'
import { returnTo } from './return-to.ts'
import { BASE_PATH } from './server-address.ts'
import type { ApiContext } from './session/session.ts'
import type { Sessions } from './session/sessions.ts'

declare module 'vue-router' {
  interface RouteMeta {
    isPublic?: boolean
    /**
     * Prefetches data before the page is shown. If a user signed in here before, it runs in parallel with the session request.
     */
    begin?(asker: ApiContext, to: RouteLocationNormalized): void
  }
}

const annotatePage = () => import('./features/annotate/page.vue')
const withWizardTexts = async <T>(page: Promise<T>): Promise<T> => (await Promise.all([page, loadTexts('wizard')]))[0]
const NEW_FROM_HUB: RouteRecordRaw = {
  path: '/new/:repository(.+)',
  name: 'new-from-hub',
  component: async () => {
    const [page] = await Promise.all([import('./features/hub-import/page.vue'), loadTexts('wizard'), loadTexts('exchange')])
    return page
  },
}
/** For owners; admins can open the workspaces page. The page itself tells other users that they have no access. */
const ADMIN: RouteRecordRaw = {
  path: '/admin',
  component: async () => {
    const [page] = await Promise.all([import('./features/admin/page.vue'), loadTexts('admin'), loadTexts('people')])
    return page
  },
  children: [
    { path: '', redirect: { name: 'admin-users' } },
    { path: 'users', name: 'admin-users', component: () => import('./features/admin/users/users-page.vue') },
    { path: 'invitations', name: 'admin-invitations', component: () => import('./features/admin/users/invitations-page.vue') },
    { path: 'workspaces', name: 'admin-workspaces', component: () => import('./features/admin/workspaces/workspaces-page.vue') },
    {
      path: 'workspaces/:workspace_id',
      name: 'admin-workspace',
      component: () => import('./features/admin/workspaces/workspace-page.vue'),
    },
    { path: 'webhooks', name: 'admin-webhooks', component: () => import('./features/admin/webhooks/webhooks-page.vue') },
    {
      path: 'webhooks/:webhook_id',
      name: 'admin-deliveries',
      component: () => import('./features/admin/webhooks/deliveries-page.vue'),
    },
    { path: 'jobs', name: 'admin-jobs', component: () => import('./features/admin/jobs/jobs-page.vue') },
    { path: 'audit-log', name: 'admin-audit-log', component: () => import('./features/admin/audit-log/audit-log-page.vue') },
  ],
}

const ROUTES: RouteRecordRaw[] = [
  { path: '/sign-in', name: 'sign-in', component: () => import('./features/sign-in/page.vue'), meta: { isPublic: true } },
  {
    path: '/oauth/:provider/callback',
    name: 'sign-in-callback',
    component: () => import('./features/sign-in/callback.vue'),
    meta: { isPublic: true },
  },
  {
    path: '/invitation',
    name: 'invitation',
    component: async () => {
      const [page] = await Promise.all([import('./features/invitation/page.vue'), loadTexts('people')])
      return page
    },
    meta: { isPublic: true },
  },
  { path: '/', name: 'home', component: () => import('./features/home/page.vue') },
  { path: '/dataset/:id', redirect: ({ params, query }) => ({ name: 'annotate', params, query }) },
  {
    path: '/dataset/:id/annotation-mode',
    name: 'annotate',
    component: annotatePage,
    meta: {
      begin: (asker, to) => {
        void annotatePage()
        askFirst(asker, to)
      },
    },
  },
  {
    path: '/dataset/:id/settings',
    name: 'dataset-settings',
    component: () => import('./features/dataset-settings/page.vue'),
  },
  { path: '/new', name: 'new', component: () => withWizardTexts(import('./features/wizard/new-page.vue')) },
  {
    path: '/dataset/:id/import',
    name: 'dataset-import',
    component: () => withWizardTexts(import('./features/wizard/import-page.vue')),
  },
  NEW_FROM_HUB,
  // URL format of Argilla's links.
  { path: '/:repository([^/]+%2[Ff][^/]+)', redirect: ({ params, query }) => ({ name: 'new-from-hub', params, query }) },
  {
    path: '/dataset/:id/overview',
    name: 'overview',
    component: async () => {
      const [page] = await Promise.all([import('./features/overview/page.vue'), loadTexts('overview')])
      return page
    },
  },
  {
    path: '/dataset/:id/overview/answers/:user_id',
    name: 'answers',
    component: async () => {
      const [page] = await Promise.all([import('./features/overview/answers/page.vue'), loadTexts('overview')])
      return page
    },
  },
  { path: '/record/:id', name: 'record', component: () => import('./features/annotate/record-link.vue') },
  {
    path: '/share-your-progress',
    name: 'share',
    component: () => import('./features/share/page.vue'),
    meta: { isPublic: true },
  },
  { path: '/user-settings', name: 'user-settings', component: () => import('./features/user-settings/page.vue') },
  ADMIN,
  { path: '/:rest(.*)*', name: 'not-found', component: () => import('./shell/not-found.vue') },
]

export function createAppRouter(sessions: Sessions): Router {
  const router = createRouter({
    history: createWebHistory(BASE_PATH),
    routes: ROUTES,
  })

  router.beforeEach(async (to, from) => {
    // Redirected here by the check below, which has just loaded the session.
    if (to.name === 'sign-in' && to.redirectedFrom && sessions.current.value === null) return true
    const begin = (asker: ApiContext) => {
      if (to.name !== from.name || to.params.id !== from.params.id) to.meta.begin?.(asker, to)
    }
    // Requests data in parallel with the session, unless the request would be rejected.
    const isExpected = sessions.isExpected()
    if (isExpected) begin(sessions.current.value ?? { api: sessions.api, ahead: sessions.ahead() })
    const session = await sessions.load()
    if (session === null && !to.meta.isPublic) return { name: 'sign-in', query: to.fullPath === '/' ? {} : { to: to.fullPath } }
    if (session !== null && !isExpected) begin(session)
    if (session !== null && to.name === 'sign-in') return returnTo(to)
    return true
  })
  return router
}
