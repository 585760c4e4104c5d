import type { share as english } from '../en/share.ts'

export const share: Record<keyof typeof english, string> = {
  page_title: 'Geteilter Fortschritt',
  about: 'Postil ist ein Server, auf dem Teams menschliches Feedback zu Daten sammeln.',
  picture:
    '{dataset}: {submitted, plural, one {# Antwort} other {# Antworten}} abgesendet. Team: {completed} von {total} fertig. {date}',
  off_title: 'Hier wird nichts geteilt',
  off_text: 'Auf diesem Server ist das Teilen des Fortschritts aus. Wer ihn betreibt, kann es einschalten.',
  invalid_title: 'Diese Karte ist nicht gültig',
  invalid_text: 'Der Link ist unvollständig oder stammt von einem anderen Server. Am besten noch einmal danach fragen.',
  failed_title: 'Die Karte wurde nicht geladen',
}
