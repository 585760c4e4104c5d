import type { signIn as english } from '../en/sign-in.ts'

export const signIn: Record<keyof typeof english, string> = {
  page_title: 'Anmelden',
  username: 'Benutzername',
  password: 'Passwort',
  show_password: 'Passwort anzeigen',
  hide_password: 'Passwort verbergen',
  submit: 'Anmelden',
  wrong: 'Name oder Passwort stimmt nicht.',
  deactivated: 'Dieses Konto ist deaktiviert. Ein Inhaber des Servers kann es wieder aktivieren.',
  too_many: 'Zu viele Versuche. In {seconds, plural, one {# Sekunde} other {# Sekunden}} geht es wieder.',
  too_many_now: 'Jetzt geht es wieder.',
  noun: 'Substantiv',
  definition:
    'Eine [1|kurze Notiz|was es ist] am [2|Rand|wo es steht] einer Seite, damit [4|alle, die danach lesen,|wer es liest] wissen, was hier auffiel.',
  welcome: 'Willkommen bei {name}',
  welcome_text: 'Dieser Server läuft als Hugging Face Space. Die Anmeldung geht mit dem Konto, das dessen Inhaber vergibt.',
  storage_warning: 'Der Speicher ist hier nicht dauerhaft: Beim Neustart des Space gehen Daten verloren.',
  or: 'oder',
  with_provider: 'Mit {name} anmelden',
  provider_failed: '{name} ist gerade nicht erreichbar. Bitte später noch einmal versuchen.',
  finishing: 'Anmeldung läuft …',
  not_signed_in: 'Die Anmeldung hat nicht geklappt',
  expired: 'Diese Anmeldung ist abgelaufen, wurde schon benutzt oder in einem anderen Browser begonnen. Bitte neu beginnen.',
  no_provider: 'Dieser Server kennt diesen Anmeldedienst nicht.',
  start_again: 'Neu beginnen',
}
