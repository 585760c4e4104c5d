import type { problems as english } from '../en/problems.ts'

export const problems: Record<keyof typeof english, string> = {
  no_access: 'この操作を行う権限がありません。ワークスペースの管理者にアクセス権を依頼するか、代わりに行ってもらってください。',
  gone: 'すでに存在しないか、アクセスできなくなっています。ページを再読み込みして現在の状態を確認してください。',
  too_many: 'リクエストが多すぎます。数秒待ってから、もう一度お試しください。',
  storage_full: 'サーバーのディスクに空きがありません。サーバーの運用担当者に知らせて、後でもう一度お試しください。',
  too_large: 'サーバーが一度に受け付けられる量を超えています。詳細: {message}',
  not_now: '現在この操作はできません。少し待ってから、もう一度お試しください。詳細: {message}',
  refused: 'サーバーに受け付けられませんでした。詳細: {message}',
  answer_membership:
    'このワークスペースのメンバーではなくなりました。管理者に追加を依頼してから、回答をもう一度送信してください。',
  answer_value: 'この回答は受け付けられませんでした。詳細: {message}',
  answer_question: '「{question}」への回答は受け付けられませんでした。詳細: {message}',
  answer_again: 'もう一度送信',
}
