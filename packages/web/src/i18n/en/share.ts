/** The page that shows a shared progress card. */
export const share = {
  page_title: 'Shared progress',
  about: 'Postil is a tool for teams that collect human feedback on data.',
  picture:
    '{dataset}: {submitted, plural, one {# answer} other {# answers}} submitted. Team: {completed} of {total} completed. {date}',
  off_title: 'Sharing is off',
  off_text: 'This server does not share progress. Its administrators can turn sharing on.',
  invalid_title: 'This link is not valid',
  invalid_text: 'The link is incomplete, or it is from another server. Ask for a new one.',
  failed_title: 'Could not load the image',
} as const
