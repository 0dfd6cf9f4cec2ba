import { count } from '../../../shared/format/format.ts';
import type { Localised } from '../../../shared/messages/localised.ts';
import type { availableData as en } from '../en/data.ts';

export const availableData = {
  pageTitle: 'Vorhandene Daten',
  lead: 'Daten, die es in PDAs gibt: Namen von Endpunkten und Feldern, nie ihr Inhalt.',
  leadEdit: 'Daten, die es in PDAs gibt, mit Beschreibungen. Die Beschreibungen sind öffentlich.',
  none: 'Noch keine Daten aufgeführt',
  noneText: 'Endpunkte und Felder stehen hier, sobald mehrere PDAs sie gemeldet haben.',
  summary: (namespaces: number, endpoints: number) =>
    `${count(namespaces, 'Namensraum', 'Namensräume')}, ${count(endpoints, 'Endpunkt', 'Endpunkte')}`,
  search: 'Endpunkt oder Feld suchen',
  noMatch: (text: string) => `Kein Endpunkt und kein Feld passt zu „${text}“.`,
  fields: (n: number) => count(n, 'Feld', 'Felder'),
  field: 'Feld',
  description: 'Beschreibung',
  valuesHead: 'Werte',
  undescribed: 'Keine Beschreibung',
  describe: (subject: string) => `${subject} beschreiben`,
  edit: 'Beschreiben',
  hint: 'Schreibe für Menschen, die die Quelle nicht kennen. Ein leeres Feld entfernt die Beschreibung.',
  submit: 'Beschreibung speichern',
  done: (subject: string) => `Beschreibung von ${subject} gespeichert`,
  show: (endpoint: string) => `Felder von ${endpoint}`,
} satisfies Localised<typeof en>;
