/** The table of pages. */
import { createRouter, createWebHistory, type RouteLocationNormalized, type RouteRecordRaw, type Router } from 'vue-router'
import { askFirst } from './features/annotate/ask-first.ts'
import { loadTexts } from './i18n/i18n.ts'
import { returnTo } from './return-to.ts'
import { BASE_PATH } from './server-address.ts'
import type { Asker } from './session/session.ts'
import type { Sessions } from './session/sessions.ts'

declare module 'vue-router' {
  interface RouteMeta {
    isPublic?: boolean
    /** Called at once, while it is still being asked who is here. */
    begin?(asker: Asker, to: RouteLocationNormalized): void
  }
}

const annotatePage = () => import('./features/annotate/page.vue')
/** For owners; the page itself says so to others. */
const ADMIN: RouteRecordRaw = {
  path: '/admin',
  component: async () => {
    const [page] = await Promise.all([import('./features/admin/page.vue'), loadTexts('admin')])
    return page
  },
  children: [
    { path: '', redirect: { name: 'admin-webhooks' } },
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

export function openRouter(sessions: Sessions): Router {
  const router = createRouter({
    history: createWebHistory(BASE_PATH),
    routes: [
      { path: '/sign-in', name: 'sign-in', component: () => import('./features/sign-in/page.vue'), meta: { isPublic: true } },
      {
        path: '/oauth/:provider/callback',
        name: 'sign-in-callback',
        component: () => import('./features/sign-in/callback.vue'),
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
    ],
  })

  router.beforeEach(async (to, from) => {
    const { current } = sessions
    const asker = current.value ?? { api: sessions.api, ahead: sessions.ahead() }
    if (to.name !== from.name || to.params.id !== from.params.id) to.meta.begin?.(asker, to)
    const session = await sessions.load()
    if (session === null && !to.meta.isPublic) return { name: 'sign-in', query: to.fullPath === '/' ? {} : { to: to.fullPath } }
    if (session !== null && to.name === 'sign-in') return returnTo(to)
    return true
  })
  return router
}
