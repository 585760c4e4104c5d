/** The page that asks who you are. In `definition` a marked word is [colour|word|name under it]. */
export const signIn = {
  page_title: 'Sign in',
  username: 'User name',
  password: 'Password',
  show_password: 'Show password',
  hide_password: 'Hide password',
  submit: 'Sign in',
  wrong: 'Name or password is wrong.',
  deactivated: 'This account is deactivated. Ask an owner of the server to reactivate it.',
  too_many: 'Too many attempts. Try again in {seconds, plural, one {# second} other {# seconds}}.',
  too_many_now: 'Try again now.',
  noun: 'noun',
  definition:
    'A [1|short note|what it is] written in the [2|margin|where it lives] of a page, so that [4|the next reader|who reads it] knows what you saw.',
  welcome: 'Welcome to {name}',
  welcome_text: 'This server runs as a Hugging Face Space. Sign in with the account its owner gave you.',
  storage_warning: 'Storage is not persistent here: data is lost when the Space restarts.',
} as const
