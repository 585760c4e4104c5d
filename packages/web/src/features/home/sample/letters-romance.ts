/** Fictional letters in Spanish, French, Italian and Portuguese. */
import type { Letter } from './letter.ts'

export const LETTERS_ROMANCE: Letter[] = [
  {
    language: 'es',
    days: 5,
    value: 74.5,
    letter: `Hola, pedí unas luces el 9 de junio (pedido OS-20588) y me ha llegado solo la trasera. ¿Dónde está la delantera? Vivo en un pueblo cerca de Teruel y de noche aquí no se ve nada. Gracias de antemano.`,
    reply: `Hola:

la luz delantera va en **otro paquete**. Llegará pronto.`,
    better: `Hola:

la delantera salió un día después y llega mañana a Teruel. Te enviamos el número de seguimiento por correo. Perdona por no haber avisado de que eran dos paquetes.`,
    topic: ['delivery', 0.95],
    moods: [
      ['friendly', 0.74],
      ['worried', 0.45],
    ],
    rating: [3, 0.64],
    improve: ['facts', 'next_step', 'tone', 'length'],
    mentions: [
      ['part', 'luces', 0.92],
      ['date', '9 de junio', 0.99],
      ['order', 'OS-20588', 0.99],
      ['place', 'Teruel', 0.99],
    ],
    picture: 'parcel',
    order: {
      number: 'OS-20588',
      state: 'enviado en parte',
      items: [
        ['Luz trasera', 1, 29.5],
        ['Luz delantera', 1, 45],
      ],
    },
  },
  {
    language: 'es',
    days: 2,
    value: 410,
    letter: `Buenas tardes. El freno trasero de mi Garza chirría como un tren viejo desde la revisión del martes. He limpiado el disco con alcohol. ¿Es peligroso? Mañana bajo el puerto de Navacerrada con mi hijo.`,
    reply: `Buenas tardes:

un freno que chirría **no es peligroso**. Es normal después de una revisión.`,
    better: `Buenas tardes:

si frena bien, el chirrido suele ser grasa en las pastillas. Antes de bajar Navacerrada con su hijo conviene mirarlo: pase hoy hasta las 20 h, cambiamos las pastillas en quince minutos y no le costará nada.`,
    topic: ['repair', 0.9],
    moods: [['worried', 0.89]],
    rating: [1, 0.72],
    improve: ['facts', 'next_step', 'tone', 'length'],
    mentions: [
      ['part', 'freno trasero', 0.97],
      ['bicycle', 'Garza', 0.83],
      ['date', 'martes', 0.88],
      ['part', 'disco', 0.9],
      ['place', 'puerto de Navacerrada', 0.94],
    ],
  },
  {
    language: 'fr',
    days: 10,
    value: 265,
    letter: `Bonjour,

la selle achetée le 20 avril s'est fendue au bout de deux mois. On m'a répondu que c'était l'usure. En deux mois ? Je pèse 62 kilos et je roule le dimanche. Je demande l'échange ou le remboursement de 85 euros.

Mireille Aubert`,
    reply: `Bonjour Madame,

nous sommes désolés. **L'usure n'est pas couverte.**`,
    better: `Bonjour Madame Aubert,

vous avez raison : une selle ne se fend pas en deux mois. Nous vous envoyons la même aujourd'hui, sans frais ; si vous préférez, nous remboursons les 85 euros. Inutile de renvoyer l'ancienne, une photo suffit.`,
    topic: ['warranty', 0.94],
    moods: [
      ['disappointed', 0.86],
      ['ironic', 0.48],
    ],
    rating: [1, 0.85],
    improve: ['facts', 'tone', 'next_step', 'length'],
    mentions: [
      ['part', 'selle', 0.96],
      ['date', '20 avril', 0.99],
      ['amount', '85 euros', 0.98],
    ],
    chat: [
      ['customer', 'Ma selle est fendue, que faire ?'],
      ['shop', 'C’est sans doute **l’usure**.'],
      ['customer', 'Après deux mois ?'],
    ],
  },
  {
    language: 'fr',
    days: 0,
    value: 980,
    letter: `Un grand merci à l'équipe de la rue des Lilas : mon vélo volé a été reconnu par votre mécanicien, qui a appelé la police. Je l'ai retrouvé le soir même, avec la sonnette de ma fille. 🔔😊`,
    reply: `Bonjour,

quelle belle nouvelle ! Tout le mérite revient à **Samir**, qui connaît ses vélos comme ses enfants. Nous lui lirons votre message. Pensez à l'antivol !`,
    better: `Bonjour,

quelle belle histoire, merci de nous l'écrire. Samir a rougi. Passez rue des Lilas : le marquage antivol est offert, et la sonnette aura droit à une goutte d'huile.`,
    topic: ['praise', 0.96],
    moods: [
      ['grateful', 0.97],
      ['friendly', 0.7],
    ],
    rating: [4, 0.79],
    improve: ['tone', 'next_step', 'length', 'facts'],
    mentions: [
      ['place', 'rue des Lilas', 0.97],
      ['bicycle', 'mon vélo', 0.56],
      ['part', 'sonnette', 0.91],
    ],
    picture: 'bicycle',
  },
  {
    language: 'it',
    days: 4,
    value: 3100,
    letter: `Buongiorno, sto per ordinare la Rondine Gran Fondo e sono indeciso tra la taglia 54 e la 56. Sono alto 179 cm, cavallo 83. Uso la bici soprattutto sulle salite intorno a Bergamo. Posso cambiarla se la taglia è sbagliata?`,
    reply: `Buongiorno,

con 83 cm di cavallo consigliamo la **54**. Sì, il cambio è possibile entro 14 giorni.`,
    better: `Buongiorno,

con 179 cm e cavallo 83 la 54 è più agile in salita, la 56 più comoda. Per Bergamo sceglieremmo la 54 con attacco da 110 mm. La taglia si cambia gratis entro 30 giorni, anche usata.`,
    topic: ['advice', 0.92],
    moods: [['friendly', 0.77]],
    rating: [4, 0.7],
    improve: ['next_step', 'facts', 'tone', 'length'],
    mentions: [
      ['bicycle', 'Rondine Gran Fondo', 0.96],
      ['place', 'Bergamo', 0.99],
    ],
    picture: 'bicycle',
  },
  {
    language: 'pt',
    days: 2,
    value: 96,
    letter: `Olá! A corrente nova chegou a Coimbra em dois dias, obrigada 🙌. Só uma dúvida: vieram 116 elos e a minha tinha 114. Tiro dois, não é? E o elo rápido, usa-se de novo ou só uma vez?`,
    reply: `Olá!

Sim, tire **dois elos**. O elo rápido usa-se **uma só vez**; na caixa há outro de reserva. Boas pedaladas!`,
    better: `Olá!

Certo: tire dois elos. O elo rápido é para uma vez só, e há um de reserva no fundo da caixa. Se preferir ver antes de cortar, temos um desenho de um minuto na página da corrente.`,
    topic: ['repair', 0.55],
    moods: [
      ['grateful', 0.85],
      ['friendly', 0.91],
    ],
    rating: [5, 0.92],
    improve: ['length', 'tone', 'next_step', 'facts'],
    mentions: [
      ['part', 'corrente', 0.97],
      ['place', 'Coimbra', 0.99],
      ['part', 'elo rápido', 0.9],
    ],
    picture: 'chain',
    chat: [
      ['customer', 'A corrente de 10 velocidades serve na minha?'],
      ['shop', 'Serve, sim. Só é preciso **encurtá-la**.'],
    ],
  },
]
