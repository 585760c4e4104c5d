/** Stop words of English, Spanish, French and German, without accents. */
const WORDS = `
a about above after again all also am an and any are as at be because been before being below between both but by can could did do does doing
don down during each few for from further had has have having he her here hers him his how i if in into is it its just me more most my no nor
not now of off on once only or other our ours out over own s same she should so some such t than that the their theirs them then there these they
this those through to too under until up very was we were what when where which while who whom why will with would you your yours
algo ante antes como con contra cual cuando de del desde donde durante e el ella ellas ellos en entre era es esa ese eso esta estas este esto
estos fue ha hasta hay la las le les lo los mas me mi mis mucho muy nada ni nos nosotros o os otra otro para pero poco por porque que quien se
ser si sin sobre son su sus tambien tanto te todo todos tu tus un una uno unos y ya yo
ai au aux avec ce ces cette dans des du elle en est et eu eux il ils je la le les leur leurs lui ma mais me meme mes moi mon ne nos notre nous on
ou par pas pour qu qui sa sans se sera ses son sont sur ta te tes toi ton tu un une vos votre vous
aber alle allem allen aller als also am an ander andere auch auf aus bei bin bis bist da damit dann das dass dein deine dem den denn der des dich
die dies diese dir doch dort du durch ein eine einem einen einer eines er es etwas euch euer fur gegen hab habe haben hat hatte hier hin hinter
ich ihm ihn ihnen ihr ihre im in indem ins ist jede jetzt kann kein keine konnen man manche mein meine mich mir mit muss nach nicht nichts noch
nun nur ob oder ohne sehr sein seine selbst sich sie sind so solche soll sondern sonst uber um und uns unser unter viel vom von vor war was weg
weil weiter welche wenn werde werden wie wieder will wir wird wo wurde zu zum zur zwar zwischen
`

export const STOP_WORDS: ReadonlySet<string> = new Set(WORDS.split(/\s+/).filter(word => word !== ''))
