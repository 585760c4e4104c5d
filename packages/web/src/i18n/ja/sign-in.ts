import type { signIn as english } from '../en/sign-in.ts'

export const signIn: Record<keyof typeof english, string> = {
  page_title: 'サインイン',
  username: 'ユーザー名',
  password: 'パスワード',
  show_password: 'パスワードを表示',
  hide_password: 'パスワードを隠す',
  submit: 'サインイン',
  wrong: 'ユーザー名またはパスワードが違います。',
  deactivated: 'このアカウントは無効になっています。サーバーのオーナーに有効化を依頼してください。',
  too_many: '試行回数が多すぎます。{seconds}秒後にもう一度お試しください。',
  too_many_now: 'もう一度お試しください。',
  noun: '名詞',
  definition: 'ページの[2|余白|どこに]に書く[1|短い注釈|何を]。[4|次に読む人|誰に]に、気づいたことを伝える。',
  welcome: '{name} へようこそ',
  welcome_text: 'このサーバーは Hugging Face Space で動いています。所有者から受け取ったアカウントでサインインしてください。',
  storage_warning: 'このストレージは永続的ではありません。Space が再起動するとデータは失われます。',
}
