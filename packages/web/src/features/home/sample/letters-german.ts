/** Fictional letters in German. */
import type { Letter } from './letter.ts'

export const LETTERS_GERMAN: Letter[] = [
  {
    language: 'de',
    days: 7,
    value: 899,
    letter: `Guten Tag,

mein Reiher 5 steht seit dem 3. Mai bei Ihnen in der Werkstatt. Mir wurden zwei Tage zugesagt, inzwischen ist es eine Woche. Am Telefon ist immer besetzt. Wann kann ich das Rad abholen, und was kostet die neue Kurbel?

Freundliche Grüße
Johanna Brück`,
    reply: `Guten Tag Frau Brück,

Ihr Rad ist in Arbeit. Wir melden uns, sobald es fertig ist.`,
    better: `Guten Tag Frau Brück,

die Kurbel kam erst gestern; heute wird sie eingebaut. Das Rad ist **morgen ab 10 Uhr** fertig, die Kurbel kostet 64 €, der Einbau nichts.
Dass Sie eine Woche lang nichts gehört haben, tut uns leid.`,
    topic: ['repair', 0.92],
    moods: [
      ['impatient', 0.84],
      ['disappointed', 0.5],
    ],
    rating: [2, 0.78],
    improve: ['next_step', 'facts', 'tone', 'length'],
    mentions: [
      ['bicycle', 'Reiher 5', 0.96],
      ['date', '3. Mai', 0.99],
      ['part', 'Kurbel', 0.95],
    ],
    order: {
      number: 'OS-20611',
      state: 'in der Werkstatt',
      items: [
        ['Kurbel 170 mm', 1, 64],
        ['Einbau', 1, 0],
      ],
    },
  },
  {
    language: 'de',
    days: 3,
    value: 48,
    letter: `Hallo! Das Schloss ist da, der Schlüssel nicht 😅. Die Nummer 4471-C steht auf dem Beutel. Könnt ihr mir bitte einen nach Görlitz schicken? Das Rad steht angeschlossen im Flur und meine Nachbarin wird langsam ungemütlich.`,
    reply: `Hallo,

oh nein! 😄 Wir schicken **heute noch zwei Schlüssel** nach Görlitz, als Brief mit Sendungsnummer. Liebe Grüße an die Nachbarin.`,
    better: `Hallo,

zwei Schlüssel zu 4471-C gehen heute als Eilbrief nach Görlitz und sind morgen da. Falls die Nachbarin nicht so lange warten mag: Ein Schlüsseldienst öffnet das Schloss, die Rechnung übernehmen wir.`,
    topic: ['delivery', 0.83],
    moods: [
      ['friendly', 0.9],
      ['ironic', 0.38],
    ],
    rating: [4, 0.81],
    improve: ['next_step', 'facts', 'length', 'tone'],
    mentions: [
      ['part', 'Schloss', 0.93],
      ['part', 'Schlüssel', 0.9],
      ['order', '4471-C', 0.72],
      ['place', 'Görlitz', 0.99],
    ],
    chat: [
      ['customer', 'Ist das Schloss schon unterwegs?'],
      ['shop', 'Ja, seit heute früh.'],
    ],
  },
  {
    language: 'de',
    days: 16,
    value: 1790,
    letter: `Sehr geehrte Damen und Herren,

der Akku meines Lastenrads hält statt 60 nur noch 22 Kilometer. Gekauft wurde es am 18. August in Ihrer Filiale Lindenstraße. Laut Heft gibt es zwei Jahre Garantie auf 70 % der Leistung. Ich bitte um Austausch.

H. Osterkamp`,
    reply: `Sehr geehrter Herr Osterkamp,

Akkus sind **Verschleißteile** und von der Garantie ausgeschlossen. Ein neuer kostet 549 €.`,
    better: `Sehr geehrter Herr Osterkamp,

Ihr Heft hat recht: 70 % Leistung sind für zwei Jahre zugesagt. Wir messen den Akku in der Lindenstraße (20 Minuten, ohne Termin) und tauschen ihn **kostenlos**, wenn er darunter liegt. Nach Ihrer Beschreibung ist das sehr wahrscheinlich.`,
    topic: ['warranty', 0.97],
    moods: [['disappointed', 0.71]],
    rating: [1, 0.88],
    improve: ['facts', 'next_step', 'tone', 'length'],
    mentions: [
      ['part', 'Akku', 0.97],
      ['bicycle', 'Lastenrads', 0.85],
      ['date', '18. August', 0.99],
      ['place', 'Filiale Lindenstraße', 0.82],
    ],
  },
  {
    language: 'de',
    days: 1,
    value: 0,
    letter: `Moin, ich suche ein Rad für den Weg zur Arbeit: 11 km, Kopfsteinpflaster, eine Treppe. Budget 900 Euro, gern gebraucht. Nabenschaltung oder Kette ist mir egal, Hauptsache wenig putzen. Was würdet ihr nehmen?`,
    reply: `Moin,

für 11 km mit Treppe würden wir ein Rad unter 14 kg nehmen:

- **Möwe 8** (gebraucht, 780 €): Riemen, Nabenschaltung, breite Reifen
- **Dohle** (neu, 890 €): leichter, aber mit Kette

Riemen heißt: nie wieder putzen.`,
    better: `Moin,

nimm die Möwe 8, gebraucht für 780 €: Riemen statt Kette, 47er Reifen fürs Pflaster, 13,8 kg für die Treppe. Steht hier, Probefahrt jederzeit.`,
    topic: ['advice', 0.95],
    moods: [['friendly', 0.93]],
    rating: [5, 0.9],
    improve: ['length', 'next_step', 'tone', 'facts'],
    mentions: [
      ['amount', '900 Euro', 0.98],
      ['part', 'Nabenschaltung', 0.94],
      ['part', 'Kette', 0.9],
    ],
    picture: 'bicycle',
  },
  {
    language: 'de',
    days: 12,
    value: 156,
    letter: `Ich habe das Paket mit den Taschen am 2. Juni zurückgeschickt (OS-20470). Die 156,00 € sind bis heute nicht auf meinem Konto. Auf meine zwei E-Mails kam jeweils der Satz, ich möge Geduld haben. Die ist aufgebraucht.`,
    reply: `Guten Tag,

vielen Dank für Ihre Geduld. Erstattungen dauern in der Regel 14 Tage.`,
    better: `Guten Tag,

die Taschen sind am 4. Juni hier angekommen; die Erstattung blieb bei uns liegen. Die 156,00 € sind **heute überwiesen** und übermorgen auf Ihrem Konto. Die beiden Antworten waren keine, dafür bitten wir um Entschuldigung.`,
    topic: ['billing', 0.87],
    moods: [
      ['impatient', 0.94],
      ['ironic', 0.6],
    ],
    rating: [1, 0.93],
    improve: ['tone', 'facts', 'next_step', 'length'],
    mentions: [
      ['part', 'Taschen', 0.8],
      ['date', '2. Juni', 0.99],
      ['order', 'OS-20470', 0.99],
      ['amount', '156,00 €', 0.99],
    ],
    picture: 'invoice',
    order: { number: 'OS-20470', state: 'zurückgeschickt', items: [['Packtaschen, Paar', 1, 156]] },
  },
  {
    language: 'de',
    days: 4,
    value: 320,
    letter: `Hallo, am Vorderrad sind zwei Speichen gerissen, mitten auf der Elbradtour bei Wittenberg. Ein netter Mensch mit Werkzeug hat geholfen. Kann ich das Laufrad am 21. vorbeibringen? Und: Ist das Zufall, oder war die Spannung von Anfang an falsch?`,
    reply: `Hallo,

gern am 21., am besten **vormittags**. Zwei Speichen auf einmal sind selten Zufall; wir messen die Spannung nach und sagen ehrlich, was war.`,
    better: `Hallo,

am 21. vormittags passt, wir brauchen eine Stunde. Zwei Speichen sind selten Zufall: War die Spannung falsch, zahlen wir Laufrad und Einbau. Dem netten Menschen schicken wir gern einen Gutschein, wenn Sie einen Namen haben.`,
    topic: ['repair', 0.8],
    moods: [
      ['friendly', 0.69],
      ['worried', 0.54],
    ],
    rating: [4, 0.75],
    improve: ['next_step', 'facts', 'length', 'tone'],
    mentions: [
      ['part', 'Vorderrad', 0.95],
      ['part', 'Speichen', 0.95],
      ['place', 'Wittenberg', 0.98],
      ['date', 'am 21.', 0.77],
    ],
    picture: 'wheel',
  },
]
