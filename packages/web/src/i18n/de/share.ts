import type { share as english } from '../en/share.ts'

export const share: Record<keyof typeof english, string> = {
  page_title: 'Geteilter Fortschritt',
  about: 'Postil ist ein Werkzeug für Teams, die menschliches Feedback zu Daten sammeln.',
  picture:
    '{dataset}: {submitted, plural, one {# Antwort} other {# Antworten}} abgesendet. Team: {completed} von {total} abgeschlossen. {date}',
  off_title: 'Teilen ist ausgeschaltet',
  off_text: 'Dieser Server teilt keinen Fortschritt. Wer ihn verwaltet, kann das Teilen einschalten.',
  invalid_title: 'Dieser Link ist nicht gültig',
  invalid_text: 'Der Link ist unvollständig oder stammt von einem anderen Server. Bitte um einen neuen.',
  failed_title: 'Das Bild konnte nicht geladen werden',
}
