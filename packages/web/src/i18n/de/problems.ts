import type { problems as english } from '../en/problems.ts'

export const problems: Record<keyof typeof english, string> = {
  no_access: 'Dazu fehlt dir die Berechtigung. Bitte einen Admin des Arbeitsbereichs um Zugriff, oder darum, es für dich zu tun.',
  gone: 'Das gibt es nicht mehr, oder du hast keinen Zugriff mehr darauf. Lade die Seite neu, um den aktuellen Stand zu sehen.',
  too_many: 'Zu viele Anfragen auf einmal. Warte ein paar Sekunden und versuche es erneut.',
  storage_full:
    'Der Server hat keinen Speicherplatz mehr. Sag der Person Bescheid, die ihn betreibt, und versuche es später erneut.',
  too_large: 'Das ist mehr, als der Server auf einmal annimmt. Einzelheiten: {message}',
  not_now: 'Das geht gerade nicht. Versuche es gleich noch einmal. Einzelheiten: {message}',
  refused: 'Der Server hat das nicht angenommen. Einzelheiten: {message}',
  answer_membership:
    'Du bist kein Mitglied dieses Arbeitsbereichs mehr. Bitte einen Admin des Arbeitsbereichs, dich hinzuzufügen, und sende deine Antwort dann erneut.',
  answer_value: 'Diese Antwort wurde nicht angenommen. Einzelheiten: {message}',
  answer_question: 'Die Antwort auf „{question}“ wurde nicht angenommen. Einzelheiten: {message}',
  answer_again: 'Erneut senden',
}
