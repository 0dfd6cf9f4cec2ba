import { count } from '../../../shared/format/format.ts';
import type { examples as en } from '../en/examples.ts';
import type { Localised } from '../../../shared/messages/localised.ts';

/** Die Beispieldaten: wo sie angeboten werden, und solange sie hier sind. */
export const examples = {
  offer: 'Mit Beispieldaten umsehen',
  offerText:
    'Sechs Wochen Schritte, Termine und Zahlungen, die es nie gab, zwei Dateien, und jemand, der etwas davon haben möchte. Ein Knopf nimmt alles wieder weg.',
  putting: 'Wird hergelegt',
  here: 'Beispieldaten sind hier',
  hereText: (records, sources, files) =>
    `${count(records, 'Eintrag', 'Einträge')} aus ${count(sources, 'Quelle', 'Quellen')} und ${count(files, 'Datei', 'Dateien')}, alle als Beispiel markiert. Hinter der Anfrage steht niemand, und nichts verlässt diesen Computer.`,
  request: 'Ansehen, wer fragt',
  take: 'Wegnehmen',
  confirm: {
    title: 'Die Beispieldaten wegnehmen?',
    text: 'Alles geht endgültig: die Quellen, die mit example- beginnen, ihre Dateien, die Anfrage und was du dazu entschieden hast. Alles andere bleibt, wie es ist.',
    keep: 'Behalten',
    submit: 'Alles wegnehmen',
    done: 'Die Beispieldaten sind weg. Es ist nichts davon übrig.',
  },
} satisfies Localised<typeof en>;
