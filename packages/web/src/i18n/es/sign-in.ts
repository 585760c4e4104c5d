import type { signIn as english } from '../en/sign-in.ts'

export const signIn: Record<keyof typeof english, string> = {
  page_title: 'Iniciar sesión',
  username: 'Nombre de usuario',
  password: 'Contraseña',
  show_password: 'Mostrar contraseña',
  hide_password: 'Ocultar contraseña',
  submit: 'Iniciar sesión',
  wrong: 'El nombre de usuario o la contraseña no son correctos.',
  deactivated: 'Esta cuenta está desactivada. Pide a un propietario que la reactive.',
  too_many: 'Demasiados intentos. Inténtalo de nuevo en {seconds, plural, one {# segundo} other {# segundos}}.',
  too_many_now: 'Ya puedes intentarlo de nuevo.',
  noun: 'sustantivo',
  definition:
    'Una [1|nota breve|qué es] escrita en el [2|margen|dónde está] de una página, para que [4|quien lea después|quién la lee] sepa lo que viste.',
  welcome: 'Te damos la bienvenida a {name}',
  welcome_text: 'Este servidor funciona como un Space de Hugging Face. Inicia sesión con la cuenta que te dio su propietario.',
  storage_warning: 'El almacenamiento no es permanente: todos los datos se pierden cuando el Space se reinicia.',
  or: 'o',
  with_provider: 'Continuar con {name}',
  provider_failed: 'Ahora mismo no se puede acceder a {name}. Inténtalo más tarde.',
  finishing: 'Iniciando sesión…',
  not_signed_in: 'No has iniciado sesión',
  expired: 'Este inicio de sesión ha caducado, ya se ha usado o se empezó en otro navegador. Empieza de nuevo.',
  no_provider: 'Este servidor no tiene este proveedor de inicio de sesión.',
  start_again: 'Empezar de nuevo',
}
