import type { share as english } from '../en/share.ts'

export const share: Record<keyof typeof english, string> = {
  page_title: '共有された進捗',
  about: 'Postil は、データに対する人のフィードバックを集めるチームのためのツールです。',
  picture: '{dataset}: 送信済みの回答 {submitted} 件。チーム: {completed} / {total} 完了。{date}',
  off_title: '共有はオフです',
  off_text: 'このサーバーは進捗を共有しません。サーバーの管理者が共有をオンにできます。',
  invalid_title: 'このリンクは無効です',
  invalid_text: 'リンクが不完全か、別のサーバーのものです。新しいリンクを依頼してください。',
  failed_title: '画像を読み込めませんでした',
}
