import { count } from '../../../shared/format/format.ts';
import type { Localised } from '../../../shared/messages/localised.ts';
import type { available as en } from '../en/data.ts';

export const available = {
  pageTitle: 'Vorhandene Daten',
  lead: 'Welche Daten es in PDAs gibt: Namen von Orten und Feldern, nie, was darin steht.',
  leadEdit: 'Welche Daten es in PDAs gibt, und was sie sind. Jeder kann die Beschreibungen lesen.',
  none: 'Noch ist nichts bekannt',
  noneText: 'Endpunkte und Felder stehen hier, sobald mehrere PDAs sie gemeldet haben.',
  summary: (namespaces: number, endpoints: number) =>
    `${count(namespaces, 'Namensraum', 'Namensräume')}, ${count(endpoints, 'Endpunkt', 'Endpunkte')}`,
  search: 'Einen Ort oder ein Feld suchen',
  clear: 'Suche leeren',
  noMatch: (text: string) => `Nichts heißt „${text}“.`,
  fields: (n: number) => count(n, 'Feld', 'Felder'),
  values: (n: number) => count(n, 'Wert', 'Werte'),
  field: 'Feld',
  description: 'Beschreibung',
  valuesHead: 'Werte',
  undescribed: 'Keine Beschreibung',
  describe: (subject: string) => `${subject} beschreiben`,
  edit: 'Beschreiben',
  hint: 'Einfache Worte für Menschen, die die Quelle nicht kennen. Leer nimmt die Beschreibung weg.',
  submit: 'Beschreibung speichern',
  done: (subject: string) => `${subject} ist beschrieben`,
  show: (endpoint: string) => `Felder von ${endpoint}`,
} satisfies Localised<typeof en>;
