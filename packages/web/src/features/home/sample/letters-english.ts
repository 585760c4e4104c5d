/** Fictional letters in English. */
import type { Letter } from './letter.ts'

export const LETTERS_ENGLISH: Letter[] = [
  {
    language: 'en',
    days: 2,
    value: 689,
    letter: `Hello,

I bought the Heron 3 from you on 12 March and since last week the chain jumps whenever I pedal hard uphill. I have cleaned and oiled it twice. It is my only way to work, so I would rather not leave it with you for long. Could you have a look before Friday?

Many thanks
Ines Marlow`,
    reply: `Dear Ines Marlow,

a jumping chain usually means that **chain and cassette are worn**. Please bring the bicycle in at any time.

Kind regards
The Open Spoke`,
    better: `Dear Ines Marlow,

thank you for writing. A chain that jumps uphill is usually a worn chain or a bent hanger, and both take us half an hour.
Come by on **Thursday before 9:00** and you can ride on to work. If it is the hanger, the warranty covers it.`,
    topic: ['repair', 0.94],
    moods: [
      ['friendly', 0.81],
      ['worried', 0.47],
    ],
    rating: [3, 0.62],
    improve: ['next_step', 'facts', 'tone', 'length'],
    mentions: [
      ['bicycle', 'Heron 3', 0.97],
      ['date', '12 March', 0.99],
      ['part', 'chain', 0.93],
      ['date', 'Friday', 0.71],
    ],
    picture: 'chain',
    order: {
      number: 'OS-20417',
      state: 'delivered',
      items: [
        ['Heron 3, size M', 1, 649],
        ['Bottle cage', 2, 20],
      ],
    },
  },
  {
    language: 'en',
    days: 9,
    value: 54.9,
    letter: `My parcel OS-20533 has been “out for delivery” for six days now 📦🙄. The carrier says they never got it, you say they did. Somebody has my pedals and it is not me. What happens next?`,
    reply: `Hi,

we are sorry for the trouble. The carrier's page shows the parcel as *out for delivery*. Please wait another **3 working days**.`,
    better: `Hello,

six days is too long, and you should not be the one to chase a carrier. We have opened a search for OS-20533 and a second pair of pedals leaves us **today** with another carrier. Should the first parcel turn up, just refuse it.`,
    topic: ['delivery', 0.98],
    moods: [
      ['impatient', 0.9],
      ['ironic', 0.55],
    ],
    rating: [2, 0.8],
    improve: ['next_step', 'tone', 'facts', 'length'],
    mentions: [
      ['order', 'OS-20533', 0.99],
      ['date', 'six days', 0.58],
      ['part', 'pedals', 0.95],
    ],
    chat: [
      ['customer', 'Where is OS-20533?'],
      ['shop', 'It left us on **Monday** and is with the carrier.'],
      ['customer', 'They say it is not.'],
      ['shop', 'Thank you, we will ask them and write to you.'],
    ],
    picture: 'parcel',
    order: { number: 'OS-20533', state: 'in transit', items: [['Flat pedals, black', 1, 54.9]] },
  },
  {
    language: 'en',
    days: 1,
    value: 0,
    letter: `Good morning. My daughter turns six in May and rides a 14-inch bicycle now. She is 118 cm tall. Would the Wren 20 fit her already, or should we wait a year? She is careful but not very patient.`,
    reply: `Good morning,

for 118 cm we recommend **20-inch wheels**. The Wren 20 has an adjustable saddle from 56 cm. Her inside leg decides, so:

1. measure it barefoot against a wall,
2. add nothing, take off nothing,
3. if it is **54 cm or more**, the Wren fits.

You are welcome to try it in the shop.`,
    better: `Good morning,

at 118 cm the Wren 20 fits if her inside leg is 54 cm or more. Come in for a test ride: it takes ten minutes, and she may decide for herself.`,
    topic: ['advice', 0.96],
    moods: [['friendly', 0.88]],
    rating: [5, 0.77],
    improve: ['length', 'tone', 'next_step', 'facts'],
    mentions: [
      ['date', 'May', 0.66],
      ['bicycle', '14-inch bicycle', 0.52],
      ['bicycle', 'Wren 20', 0.98],
    ],
    picture: 'bicycle',
  },
  {
    language: 'en',
    days: 14,
    value: 129,
    letter: `I was charged twice for invoice 7741: 129.00 on 2 April and again 129.00 on 5 April. I have written three times. Please refund the second amount or I will ask my bank to take it back.`,
    reply: `Hello,

your payment of 129.00 was received. Thank you for your purchase!`,
    better: `Hello,

you are right: 129.00 was taken twice. We have sent the second amount back today; it reaches your account within three working days.
I am sorry that three messages went unanswered. They were sorted into the wrong folder, which is our mistake.`,
    topic: ['billing', 0.99],
    moods: [
      ['impatient', 0.86],
      ['disappointed', 0.61],
    ],
    rating: [1, 0.95],
    improve: ['facts', 'tone', 'next_step', 'length'],
    mentions: [
      ['order', 'invoice 7741', 0.74],
      ['amount', '129.00', 0.97],
      ['date', '2 April', 0.99],
      ['date', '5 April', 0.99],
    ],
    picture: 'invoice',
    order: { number: 'OS-20102', state: 'paid twice', items: [['Winter service', 1, 129]] },
  },
  {
    language: 'en',
    days: 4,
    value: 1450,
    letter: `Dear team,

the frame of my Kestrel tourer has a fine crack near the bottom bracket. It is 14 months old and I have never crashed it. I am due to ride to Lisbon in five weeks. Is this covered, and is it safe to ride until you have seen it?

Owen Tarrant`,
    reply: `Dear Mr Tarrant,

frames carry a **five-year warranty**. Please send us a photo and the frame number. It is under the bottom bracket:

\`\`\`
KS-24-001872
\`\`\`

We answer within two days.`,
    better: `Dear Mr Tarrant,

please do **not ride it** any more: a crack there can open without warning. The frame has a five-year warranty, so a new one costs you nothing.
Bring it in this week; we swap frames in about ten days, which leaves you time before Lisbon.`,
    topic: ['warranty', 0.91],
    moods: [
      ['worried', 0.92],
      ['friendly', 0.4],
    ],
    rating: [3, 0.7],
    improve: ['facts', 'next_step', 'tone', 'length'],
    mentions: [
      ['part', 'frame', 0.96],
      ['bicycle', 'Kestrel tourer', 0.94],
      ['part', 'bottom bracket', 0.97],
      ['place', 'Lisbon', 0.99],
      ['date', 'five weeks', 0.63],
    ],
    order: {
      number: 'OS-17290',
      state: 'delivered',
      items: [
        ['Kestrel tourer, size L', 1, 1390],
        ['Mudguards', 1, 60],
      ],
    },
  },
  {
    language: 'en',
    days: 0,
    value: 35,
    letter: `Just a note to say that the young man at your counter in Mill Lane fixed my brakes in ten minutes on Saturday and would not take more than a fiver. I have been riding since 1961 and was never treated better. 🚲❤️`,
    reply: `Thank you for your feedback. Your opinion is important to us.`,
    better: `What a lovely message, thank you. The young man is called Teo, and your note now hangs beside the truing stand. Ride safely, and come in when the brakes want their next ten minutes.`,
    topic: ['praise', 0.97],
    moods: [
      ['grateful', 0.98],
      ['friendly', 0.85],
    ],
    rating: [2, 0.66],
    improve: ['tone', 'length', 'facts', 'next_step'],
    mentions: [
      ['place', 'Mill Lane', 0.96],
      ['part', 'brakes', 0.94],
      ['amount', 'a fiver', 0.49],
      ['date', '1961', 0.51],
    ],
  },
  {
    language: 'en',
    days: 6,
    value: 212.5,
    letter: `Hi, rear wheel back from you on Tuesday, out of true again on Thursday. I weigh 70 kg and ride on asphalt. Either the spokes were not tensioned or I am cursed. I vote for the spokes. Picture attached.`,
    reply: `Hi,

wheels settle after a repair. Bring it in and we will **true it again** for 15 €.`,
    better: `Hi,

we vote for the spokes too. A wheel that is out of true after two days was not finished: we true it again at once, **free of charge**, and check the tension of every spoke. No appointment needed.`,
    topic: ['repair', 0.88],
    moods: [
      ['ironic', 0.79],
      ['disappointed', 0.58],
    ],
    rating: [2, 0.73],
    improve: ['facts', 'tone', 'next_step', 'length'],
    mentions: [
      ['part', 'rear wheel', 0.95],
      ['date', 'Tuesday', 0.9],
      ['date', 'Thursday', 0.9],
      ['part', 'spokes', 0.92],
    ],
    picture: 'wheel',
    chat: [
      ['customer', 'Is my wheel ready?'],
      ['shop', 'Yes, it is **straight as a ruler**.'],
    ],
  },
]
