import type { problems as english } from '../en/problems.ts'

export const problems: Record<keyof typeof english, string> = {
  no_access: 'No tienes permiso para hacer esto. Pide acceso a un administrador del espacio de trabajo, o que lo haga por ti.',
  gone: 'Esto ya no existe o ya no tienes acceso. Recarga la página para ver el estado actual.',
  too_many: 'Demasiadas peticiones a la vez. Espera unos segundos e inténtalo de nuevo.',
  storage_full: 'El servidor no tiene espacio en disco. Avisa a quien lo administra e inténtalo más tarde.',
  too_large: 'Es más de lo que el servidor acepta de una vez. Detalles: {message}',
  not_now: 'Esto no funciona en este momento. Inténtalo de nuevo en un momento. Detalles: {message}',
  refused: 'El servidor no lo ha aceptado. Detalles: {message}',
  answer_membership:
    'Ya no eres miembro de este espacio de trabajo. Pide a un administrador que te añada y envía tu respuesta otra vez.',
  answer_value: 'Esta respuesta no se ha aceptado. Detalles: {message}',
  answer_question: 'La respuesta a «{question}» no se ha aceptado. Detalles: {message}',
  answer_again: 'Enviar otra vez',
}
