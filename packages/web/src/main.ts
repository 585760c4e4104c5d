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
import { preferences, startPreferences } from './preferences.ts'
import { openRouter } from './routes.ts'
import { startServiceWorker } from './service-worker.ts'
import { openSessions } from './session/sessions.ts'
import { SESSIONS } from './session/use-session.ts'
import { startShortcuts } from './shortcuts/commands.ts'

// The icon is asked for again on other pages, and what leads to it from here may not from there.
for (const link of document.querySelectorAll<HTMLLinkElement>('link[href]')) link.setAttribute('href', link.href)
startPreferences(applyAppearance)
startShortcuts()
startServiceWorker()
await setLanguage(preferences.language)
const sessions = openSessions()
createApp(App).provide(SESSIONS, sessions).use(openRouter(sessions)).mount('#app')
// A page out of the browser's memory is a page of somebody who may have signed out since.
addEventListener('pageshow', ({ persisted }) => persisted && location.reload())
