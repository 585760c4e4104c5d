import '@fontsource-variable/inter/index.css'
import '@fontsource-variable/source-serif-4/opsz.css'
import '@fontsource-variable/source-serif-4/opsz-italic.css'
import '@fontsource-variable/jetbrains-mono/index.css'
import './styles/tokens.css'
import './styles/kit.css'
import './styles/elements.css'
import { createApp } from 'vue'
import App from './app.vue'
import { applyAppearance } from './appearance.ts'
import { setLanguage } from './i18n/i18n.ts'
import { forgetPageDataLater } from './page-data.ts'
import { preferences, startPreferences } from './preferences.ts'
import { createAppRouter } from './routes.ts'
import { startServiceWorker } from './service-worker.ts'
import { openSessions } from './session/sessions.ts'
import { SESSIONS } from './session/use-session.ts'
import { startShortcuts } from './shortcuts/commands.ts'

async function start(): Promise<void> {
  // Makes these URLs absolute, because the browser requests the icon again on other pages, where a relative URL resolves
  // differently.
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel=icon], link[rel=manifest]'))
    link.setAttribute('href', link.href)
  startPreferences(applyAppearance)
  startShortcuts()
  forgetPageDataLater()
  startServiceWorker()
  await setLanguage(preferences.language)
  const sessions = openSessions()
  createApp(App).provide(SESSIONS, sessions).use(createAppRouter(sessions)).mount('#app')
  // A page restored from the back/forward cache may belong to a user who has signed out since.
  addEventListener('pageshow', ({ persisted }) => persisted && location.reload())
}

// `compile.html` loads the application without starting it.
if (document.querySelector('#app')) await start()
