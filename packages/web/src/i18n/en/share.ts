/** The page with a card that somebody shared. */
export const share = {
  page_title: 'Shared progress',
  about: 'Postil is a server where teams collect human feedback on data.',
  picture:
    '{dataset}: {submitted, plural, one {# answer} other {# answers}} submitted. Team: {completed} of {total} complete. {date}',
  off_title: 'Nothing is shared here',
  off_text: 'This server does not share progress. The people who run it can switch that on.',
  invalid_title: 'This card is not valid',
  invalid_text: 'The link is not whole, or it was made by another server. Ask for it again.',
  failed_title: 'The card did not load',
} as const
