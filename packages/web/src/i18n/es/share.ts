import type { share as english } from '../en/share.ts'

export const share: Record<keyof typeof english, string> = {
  page_title: 'Progreso compartido',
  about: 'Postil es una herramienta para equipos que recogen valoraciones humanas sobre datos.',
  picture:
    '{dataset}: {submitted, plural, one {# respuesta enviada} many {# de respuestas enviadas} other {# respuestas enviadas}}. Equipo: {completed} de {total} completados. {date}',
  off_title: 'No se comparte el progreso',
  off_text: 'Este servidor no comparte el progreso. Sus administradores pueden permitir que se comparta.',
  invalid_title: 'Este enlace no es válido',
  invalid_text: 'El enlace está incompleto o es de otro servidor. Pide uno nuevo.',
  failed_title: 'No se pudo cargar la imagen',
}
