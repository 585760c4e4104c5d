import type { share as english } from '../en/share.ts'

export const share: Record<keyof typeof english, string> = {
  page_title: '共有された進捗',
  about: 'Postil は、データに対する人のフィードバックをチームで集めるためのサーバーです。',
  picture: '{dataset}: 送信済みの回答 {submitted} 件。チーム: {completed} / {total} 完了。{date}',
  off_title: '共有されているものはありません',
  off_text: 'このサーバーでは進捗の共有が無効になっています。運営者が有効にできます。',
  invalid_title: 'このカードは無効です',
  invalid_text: 'リンクが途中で切れているか、別のサーバーのものです。もう一度リンクをもらってください。',
  failed_title: 'カードを読み込めませんでした',
}
