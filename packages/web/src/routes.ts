/** The table of pages. */
import { createRouter, createWebHistory, type RouteLocationNormalized } from 'vue-router'
import { askFirst } from './features/annotate/ask-first.ts'
import { BASE_PATH } from './server-address.ts'
import { loadSession } from './session.ts'

declare module 'vue-router' {
  interface RouteMeta {
    isPublic?: boolean
    /** Called at once, while it is still being asked who is here. */
    begin?(to: RouteLocationNormalized): void
  }
}

const annotatePage = () => import('./features/annotate/page.vue')

export const router = createRouter({
  history: createWebHistory(BASE_PATH),
  routes: [
    { path: '/sign-in', name: 'sign-in', component: () => import('./features/sign-in/page.vue'), meta: { isPublic: true } },
    { path: '/', name: 'home', component: () => import('./features/home/page.vue') },
    { path: '/dataset/:id', redirect: ({ params, query }) => ({ name: 'annotate', params, query }) },
    {
      path: '/dataset/:id/annotation-mode',
      name: 'annotate',
      component: annotatePage,
      meta: {
        begin: to => {
          void annotatePage()
          askFirst(to)
        },
      },
    },
    { path: '/dataset/:id/settings', name: 'dataset-settings', component: () => import('./features/dataset-settings/page.vue') },
    { path: '/record/:id', name: 'record', component: () => import('./features/annotate/record-link.vue') },
    {
      path: '/share-your-progress',
      name: 'share',
      component: () => import('./features/share/page.vue'),
      meta: { isPublic: true },
    },
    { path: '/user-settings', name: 'user-settings', component: () => import('./features/user-settings/page.vue') },
    { path: '/:rest(.*)*', name: 'not-found', component: () => import('./shell/not-found.vue') },
  ],
})

/** Where to go after sign-in; only ever a path of ours. */
export const returnTo = ({ query }: RouteLocationNormalized): string =>
  typeof query.to === 'string' && /^\/(?!\/)/.test(query.to) ? query.to : '/'

router.beforeEach(async (to, from) => {
  if (to.name !== from.name || to.params.id !== from.params.id) to.meta.begin?.(to)
  const user = await loadSession()
  if (user === null && !to.meta.isPublic) return { name: 'sign-in', query: to.fullPath === '/' ? {} : { to: to.fullPath } }
  if (user !== null && to.name === 'sign-in') return returnTo(to)
  return true
})
