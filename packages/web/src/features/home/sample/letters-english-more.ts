/** More fictional letters in English. */
import type { Letter } from './letter.ts'

export const LETTERS_ENGLISH_MORE: Letter[] = [
  {
    language: 'en',
    days: 3,
    value: 2390,
    letter: `Before I order the Albatross e-bike for 2,390 euros: does the battery come out without tools, how much does it weigh, and can I take it on the train to Bruges? I live on the fourth floor and the lift is a rumour.`,
    reply: `Hello,

| Question | Answer |
| --- | --- |
| Battery | comes out with a key |
| Weight | **24.6 kg** |
| Train | yes, with a bicycle ticket |

We wish you a nice day.`,
    better: `Hello,

the battery comes out with its key, no tools, and weighs 3.1 kg; the bicycle without it 21.5 kg. On the train to Bruges it needs a bicycle ticket.
For a fourth floor the Albatross Light (17 kg) may be the happier choice. You can carry both up our stairs and compare.`,
    topic: ['advice', 0.93],
    moods: [
      ['friendly', 0.7],
      ['ironic', 0.36],
    ],
    rating: [4, 0.68],
    improve: ['next_step', 'tone', 'length', 'facts'],
    mentions: [
      ['bicycle', 'Albatross e-bike', 0.95],
      ['amount', '2,390 euros', 0.99],
      ['part', 'battery', 0.94],
      ['place', 'Bruges', 0.98],
    ],
  },
  {
    language: 'en',
    days: 21,
    value: 89,
    letter: `Three weeks ago you promised a replacement for the light that came broken (order OS-20388). I have heard nothing since. It is dark when I ride home. I am tired of asking.`,
    reply: `Dear customer,

your request is being processed. Due to a high volume of requests this may take longer than usual. We ask for your patience.`,
    better: `Hello,

three weeks in the dark is not acceptable. A new light went out **this morning**, order OS-20388-B, and should be with you tomorrow. Until then you can borrow one at the counter. I am sorry for the silence.`,
    topic: ['delivery', 0.64],
    moods: [
      ['disappointed', 0.93],
      ['impatient', 0.65],
    ],
    rating: [1, 0.9],
    improve: ['tone', 'next_step', 'facts', 'length'],
    mentions: [
      ['date', 'Three weeks ago', 0.78],
      ['part', 'light', 0.91],
      ['order', 'OS-20388', 0.99],
    ],
    order: { number: 'OS-20388', state: 'complaint', items: [['Front light, 60 lux', 1, 89]] },
  },
  {
    language: 'en',
    days: 5,
    value: 19.5,
    letter: `The gear cable you sent is 1.1 mm, the one I ordered is 1.2 mm. I know, a tenth of a millimetre. But it slips. Can I return it opened, and who pays the postage of 4.90?`,
    reply: `Hello,

yes, you can return it, opened or not. We pay the postage: print the label on [your orders page](https://shop.example/orders) and drop the parcel anywhere.

The right cable is on its way.`,
    better: `Hello,

keep the thin one for a friend; sending it back costs more than the cable. The 1.2 mm cable is on its way, and the mistake was ours.`,
    topic: ['delivery', 0.71],
    moods: [['friendly', 0.6]],
    rating: [5, 0.82],
    improve: ['length', 'facts', 'tone', 'next_step'],
    mentions: [
      ['part', 'gear cable', 0.97],
      ['amount', '4.90', 0.88],
    ],
  },
  {
    language: 'en',
    days: 8,
    value: 399,
    letter: `To whom it may concern: the cargo box of my Pelican rattles at exactly 17 km/h. Not 16, not 18. I have tried rubber, cork and prayer. Does anybody in your workshop know this sound? I can be in Dover Street any morning.`,
    reply: `Dear customer,

please tighten all screws.`,
    better: `Dear rider,

we know this sound. On the Pelican it is the left hinge pin, which wants a nylon washer. It costs 40 cents and five minutes: any morning in Dover Street is fine, ask for Amara.`,
    topic: ['repair', 0.85],
    moods: [
      ['ironic', 0.72],
      ['friendly', 0.66],
    ],
    rating: [2, 0.59],
    improve: ['facts', 'next_step', 'tone', 'length'],
    mentions: [
      ['part', 'cargo box', 0.93],
      ['bicycle', 'Pelican', 0.89],
      ['place', 'Dover Street', 0.97],
    ],
    chat: [
      ['customer', 'Do you service cargo bikes?'],
      ['shop', 'Yes, every make. Bring it in *empty*, our stand lifts 60 kg.'],
      ['customer', 'It is only ever full of children, I will unload them first.'],
    ],
  },
  {
    language: 'en',
    days: 2,
    value: 74,
    letter: `Your invoice says VAT 20 %, but I ordered as a company in Ireland and gave my number. Could you correct it? The amount is 74.00. No hurry, end of the month is fine. Thanks for the quick delivery by the way!`,
    reply: `Hello,

thank you for the details. We have corrected the invoice and attached it. You will receive **12.33 €** back.

With best wishes`,
    better: `Hello,

the corrected invoice is attached, without VAT; 12.33 € go back to your card this week. And thank you for the kind words, the packers will be pleased.`,
    topic: ['billing', 0.9],
    moods: [
      ['friendly', 0.83],
      ['grateful', 0.52],
    ],
    rating: [5, 0.86],
    improve: ['tone', 'length', 'next_step', 'facts'],
    mentions: [
      ['place', 'Ireland', 0.97],
      ['amount', '74.00', 0.98],
      ['date', 'end of the month', 0.6],
    ],
    picture: 'invoice',
  },
]
