import type { share as english } from '../en/share.ts'

export const share: Record<keyof typeof english, string> = {
  page_title: 'Progreso compartido',
  about: 'Postil es un servidor donde los equipos recogen valoraciones humanas sobre datos.',
  picture:
    '{dataset}: {submitted, plural, one {# respuesta enviada} other {# respuestas enviadas}}. Equipo: {completed} de {total} completos. {date}',
  off_title: 'Aquí no se comparte nada',
  off_text: 'Este servidor no comparte el progreso. Quienes lo administran pueden activarlo.',
  invalid_title: 'Esta tarjeta no es válida',
  invalid_text: 'El enlace está incompleto o es de otro servidor. Pídelo de nuevo.',
  failed_title: 'La tarjeta no se ha cargado',
}
