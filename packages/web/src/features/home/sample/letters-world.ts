/** Fictional letters in other languages, two of them right-to-left. */
import type { Letter } from './letter.ts'

export const LETTERS_WORLD: Letter[] = [
  {
    language: 'ja',
    days: 3,
    value: 540,
    letter: `お世話になっております。6月1日に購入したシラサギ号の変速が、三速に入らなくなりました。通勤で毎日使っているため、できれば土曜日に修理をお願いしたいです。京都店に持ち込めばよいでしょうか。`,
    reply: `お問い合わせありがとうございます。

京都店にお持ちください。修理は**通常一週間**かかります。`,
    better: `お問い合わせありがとうございます。

変速の調整でしたら三十分ほどで終わります。**土曜日の十時**に京都店でご予約をお取りしました。購入から日が浅いため、費用はかかりません。`,
    topic: ['repair', 0.93],
    moods: [
      ['friendly', 0.62],
      ['worried', 0.41],
    ],
    rating: [2, 0.61],
    improve: ['next_step', 'facts', 'length', 'tone'],
    mentions: [
      ['date', '6月1日', 0.99],
      ['bicycle', 'シラサギ号', 0.96],
      ['part', '変速', 0.9],
      ['date', '土曜日', 0.95],
      ['place', '京都店', 0.97],
    ],
  },
  {
    language: 'ja',
    days: 1,
    value: 0,
    letter: `電動自転車の購入を考えています。子どもを二人乗せて坂道を上ることが多いです。予算は18万円くらいです🚴‍♀️。おすすめの車種と、試乗できる日を教えてください。`,
    reply: `ご連絡ありがとうございます。

- **ツグミ2**：16万8千円、子ども二人に対応
- **カモメ**：19万5千円、坂道に強いモーター

試乗は毎週日曜日にできます。お子さまとご一緒にどうぞ。`,
    better: `ご連絡ありがとうございます。

坂道と二人乗せでしたら「ツグミ2」（16万8千円）をおすすめします。日曜日の午前中に試乗できます。お子さま用のヘルメットもご用意しています。`,
    topic: ['advice', 0.97],
    moods: [['friendly', 0.8]],
    rating: [4, 0.83],
    improve: ['length', 'next_step', 'tone', 'facts'],
    mentions: [
      ['bicycle', '電動自転車', 0.9],
      ['amount', '18万円', 0.97],
    ],
  },
  {
    language: 'ar',
    days: 6,
    value: 230,
    letter: `السلام عليكم، اشتريت منكم دراجة من طراز Falcon 2 يوم 14 مايو، والإطار الخلفي يفقد الهواء كل صباح. غيّرت الأنبوب الداخلي مرتين بلا فائدة. هل يمكنني إحضارها إلى فرع شارع النهر يوم السبت؟ شكرا لكم.`,
    reply: `وعليكم السلام،

نعم، يمكنك إحضار الدراجة يوم السبت. **سعر الإصلاح 15 يورو.**`,
    better: `وعليكم السلام،

نعم، ننتظرك يوم السبت في فرع شارع النهر. غالبا ما يكون السبب شريط الجنط وليس الأنبوب، وإصلاحه مجاني لأن الدراجة ما زالت في الضمان. يستغرق ذلك ربع ساعة.`,
    topic: ['repair', 0.86],
    moods: [
      ['friendly', 0.76],
      ['worried', 0.33],
    ],
    rating: [3, 0.57],
    improve: ['facts', 'next_step', 'tone', 'length'],
    mentions: [
      ['bicycle', 'Falcon 2', 0.97],
      ['date', '14 مايو', 0.98],
      ['part', 'الإطار الخلفي', 0.93],
      ['part', 'الأنبوب الداخلي', 0.92],
      ['place', 'شارع النهر', 0.95],
    ],
    picture: 'wheel',
  },
  {
    language: 'he',
    days: 11,
    value: 119,
    letter: `שלום, הזמנתי קסדה במידה M (הזמנה OS-20499) והגיעה מידה L. החלפתי כבר פעם אחת, ושוב הגיעה L 🙃. אפשר לשלוח לי את המידה הנכונה לחיפה עד יום חמישי? המחיר היה 119 אירו.`,
    reply: `שלום,

אנא החזירי את הקסדה ונשלח **מידה M**.`,
    better: `שלום,

פעמיים L זו טעות שלנו. קסדה במידה M יוצאת היום לחיפה ותגיע עד יום רביעי; מדדנו אותה בעצמנו. השליח ייקח בחזרה את שתי האחרות, בלי תשלום.`,
    topic: ['delivery', 0.89],
    moods: [
      ['ironic', 0.67],
      ['impatient', 0.59],
    ],
    rating: [2, 0.69],
    improve: ['next_step', 'tone', 'facts', 'length'],
    mentions: [
      ['part', 'קסדה', 0.94],
      ['order', 'OS-20499', 0.99],
      ['place', 'לחיפה', 0.84],
      ['date', 'יום חמישי', 0.93],
      ['amount', '119 אירו', 0.98],
    ],
    picture: 'parcel',
  },
  {
    language: 'nl',
    days: 8,
    value: 62.5,
    letter: `Beste mensen, op factuur 7802 staat een bagagedrager van € 62,50 die ik niet heb besteld. Wel een standaard, en die zit er niet bij. Zijn er twee bestellingen verwisseld? Ik woon in Zwolle en kan langskomen.`,
    reply: `Beste klant,

het lijkt erop dat twee bestellingen zijn **verwisseld**. Kunt u de drager terugsturen?`,
    better: `Beste klant,

u heeft gelijk, uw doos is met die van iemand in Zutphen verwisseld. De standaard ligt vanaf morgen voor u klaar in Zwolle; de drager mag u daar afgeven. De € 62,50 boeken we vandaag terug.`,
    topic: ['billing', 0.68],
    moods: [['friendly', 0.64]],
    rating: [3, 0.66],
    improve: ['next_step', 'facts', 'tone', 'length'],
    mentions: [
      ['order', 'factuur 7802', 0.79],
      ['part', 'bagagedrager', 0.96],
      ['amount', '€ 62,50', 0.99],
      ['part', 'standaard', 0.87],
      ['place', 'Zwolle', 0.99],
    ],
    picture: 'invoice',
    order: {
      number: 'OS-20557',
      state: 'geleverd',
      items: [
        ['Standaard', 1, 18.5],
        ['Bagagedrager', 1, 62.5],
      ],
    },
  },
  {
    language: 'pl',
    days: 13,
    value: 445,
    letter: `Dzień dobry, przedni widelec mojego roweru Czapla skrzypi od dnia zakupu, czyli od 7 maja. Trzy razy mówiono mi, że „się ułoży”. Nie ułożyło się. Proszę o naprawę w ramach gwarancji albo o zwrot 445 euro.`,
    reply: `Dzień dobry,

prosimy o cierpliwość, widelec musi się **ułożyć**.`,
    better: `Dzień dobry,

skrzypienie od pierwszego dnia to wada, a nie kwestia czasu. Wymienimy widelec na gwarancji w przyszłym tygodniu i damy rower zastępczy. Jeśli woli Pan zwrot 445 euro, też go zrobimy. Przepraszamy za trzy złe odpowiedzi.`,
    topic: ['warranty', 0.95],
    moods: [
      ['disappointed', 0.9],
      ['ironic', 0.57],
    ],
    rating: [1, 0.91],
    improve: ['facts', 'tone', 'next_step', 'length'],
    mentions: [
      ['part', 'przedni widelec', 0.96],
      ['bicycle', 'Czapla', 0.88],
      ['date', '7 maja', 0.99],
      ['amount', '445 euro', 0.99],
    ],
  },
]
