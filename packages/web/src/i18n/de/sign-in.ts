import type { signIn as english } from '../en/sign-in.ts'

export const signIn: Record<keyof typeof english, string> = {
  page_title: 'Anmelden',
  username: 'Benutzername',
  password: 'Passwort',
  show_password: 'Passwort anzeigen',
  hide_password: 'Passwort verbergen',
  submit: 'Anmelden',
  wrong: 'Benutzername oder Passwort ist falsch.',
  deactivated: 'Dieses Konto ist deaktiviert. Bitte einen Inhaber, es wieder zu aktivieren.',
  too_many: 'Zu viele Versuche. Versuche es in {seconds, plural, one {# Sekunde} other {# Sekunden}} erneut.',
  too_many_now: 'Du kannst es jetzt erneut versuchen.',
  noun: 'Substantiv',
  definition:
    'Eine [1|kurze Notiz|was es ist] am [2|Rand|wo es steht] einer Seite, damit [4|alle, die danach lesen,|wer es liest] wissen, was hier auffiel.',
  welcome: 'Willkommen bei {name}',
  welcome_text: 'Dieser Server läuft als Hugging Face Space. Melde dich mit dem Konto an, das du vom Inhaber bekommen hast.',
  storage_warning: 'Der Speicher ist nicht dauerhaft: Beim Neustart des Space gehen alle Daten verloren.',
  or: 'oder',
  with_provider: 'Mit {name} anmelden',
  provider_failed: '{name} ist gerade nicht erreichbar. Versuche es später erneut.',
  finishing: 'Anmeldung läuft …',
  not_signed_in: 'Du bist nicht angemeldet',
  expired: 'Diese Anmeldung ist abgelaufen, wurde schon verwendet oder in einem anderen Browser begonnen. Beginne neu.',
  no_provider: 'Dieser Server hat diesen Anmeldedienst nicht.',
  start_again: 'Neu beginnen',
}
