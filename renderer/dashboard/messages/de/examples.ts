import { count } from '../../../shared/format/format.ts';
import type { examples as en } from '../en/examples.ts';
import type { Localised } from '../../../shared/messages/localised.ts';

/** Example data: the offer to add it, and the notice while it exists. */
export const examples = {
  offer: 'Mit Beispieldaten ausprobieren',
  offerText:
    'Sechs Wochen erfundene Schritte, Termine und Zahlungen, zwei Dateien und eine Anfrage nach einem Teil dieser Daten. Mit einem Klick entfernst du alles wieder.',
  adding: 'Beispieldaten werden hinzugefügt',
  noticeTitle: 'Dein PDA enthält Beispieldaten',
  noticeText: (records, sources, files) =>
    `${count(records, 'Datensatz', 'Datensätze')} aus ${count(sources, 'Quelle', 'Quellen')} und ${count(files, 'Datei', 'Dateien')}, alle als Beispiel markiert. Die Anfrage stammt von keiner echten Organisation, und nichts verlässt diesen Computer.`,
  request: 'Anfrage ansehen',
  remove: 'Beispieldaten entfernen',
  confirm: {
    title: 'Die Beispieldaten entfernen?',
    text: 'Das löscht endgültig die Quellen, die mit example- beginnen, ihre Dateien, die Anfrage und deine Entscheidung dazu. Alles andere bleibt, wie es ist.',
    submit: 'Alle Beispieldaten entfernen',
    done: 'Alle Beispieldaten sind entfernt.',
  },
} satisfies Localised<typeof en>;
