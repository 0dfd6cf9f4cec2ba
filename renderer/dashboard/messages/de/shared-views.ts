import { count, number } from '../../../shared/format/format.ts';
import type { sharedViews as english } from '../en/shared-views.ts';

const VALUES_ONLY = 'Die Person sieht die Werte dieses Diagramms, aber keine einzelnen Datensätze.';

export const sharedViews: typeof english = {
  menu: 'Für eine Person freigeben…',
  share: 'Freigeben',
  title: { table: 'Diese Tabelle für eine Person freigeben', chart: 'Dieses Diagramm für eine Person freigeben' },
  columns: (names) => `${count(names.length, 'Spalte', 'Spalten')}: ${names.join(', ')}`,
  allRecords: 'Alle Datensätze, ohne Filter',
  filtered: (filters) => `Nur Datensätze mit: ${filters.join('; ')}`,
  search: (text) => `dem Text ${text} in irgendeinem Feld`,
  matches: (n) =>
    `Jetzt ${n === 1 ? 'passt 1 Datensatz' : `passen ${number(n)} Datensätze`}. Datensätze, die später passen, werden auch freigegeben, andere Felder nicht.`,
  selected: {
    button: 'Freigeben…',
    title: (n) => `${count(n, 'Datensatz', 'Datensätze')} für eine Person freigeben`,
    tooMany: (max) => `Wähle höchstens ${number(max)} Datensätze zum Freigeben aus.`,
    name: (endpoint) => `${endpoint} (Auswahl)`,
    records: (n, endpoint) => `${count(n, 'ausgewählter Datensatz', 'ausgewählte Datensätze')} von ${endpoint}`,
    text: 'Die Person sieht immer den aktuellen Inhalt dieser Datensätze. Ein Datensatz, den du löschst oder verschiebst, verschwindet. Andere Datensätze und Felder werden nicht freigegeben.',
    updateText: 'Die Person sieht unter dieser Bezeichnung andere Datensätze oder Spalten.',
  },
  chartText: {
    time: VALUES_ONLY,
    heat: VALUES_ONLY,
    distribution: VALUES_ONLY,
    values: VALUES_ONLY,
    scatter: 'Die Person sieht beide Zahlen jedes Datensatzes, aber keine anderen Felder.',
    calendar: 'Die Person sieht Tage, Beginn und Titel jedes Datensatzes, in allen Monaten, aber keine anderen Felder.',
    map: 'Die Person sieht, wo die Datensätze liegen und wie viele es sind, aber keine anderen Felder, und kann nicht hineinzoomen.',
  },
  chartLater:
    'Spätere Datensätze dieses Endpunkts sind auch enthalten, wenn sie zu den Einstellungen des Diagramms passen.',
  people: 'Freigegeben für',
  nameUntil: (name, until) => `${name}, bis ${until}`,
  noPeople: 'Es gibt keine Personen, die sich anmelden können.',
  name: 'Bezeichnung',
  nameHint: 'Die Person sieht diese Bezeichnung.',
  replaces: (person) => `Ersetzt, was ${person} jetzt unter dieser Bezeichnung sieht.`,
  endChoices: {
    never: 'Wenn ich die Freigabe beende',
    1: 'In 1 Tag',
    7: 'In 7 Tagen',
    30: 'In 30 Tagen',
    365: 'In 1 Jahr',
  },
  shared: (person, name) => `${person} kann ${name} sehen`,
  update: 'Aktualisieren',
  updateLabel: (person, name) => `Aktualisieren: ${name} für ${person}`,
  updateText: 'Du hast diese Ansicht seit der Freigabe geändert. Die Person sieht weiterhin die frühere.',
  updated: (person, name) => `${person} sieht ${name} jetzt im aktuellen Stand`,
  stopLabel: (person, name) => `Beenden: Freigabe von ${name} für ${person}`,
  stopped: (person, name) => `${person} kann ${name} nicht mehr sehen`,
  ofPerson: (name) => `Tabellen und Diagramme, die ${name} sehen kann`,
  reader: {
    table: (name, columns) =>
      `sieht die Tabelle ${name} mit ${count(columns, 'Spalte', 'Spalten')}, auch neue Datensätze`,
    selected: (name, records, columns) =>
      `sieht die Tabelle ${name}: ${records}, ${count(columns, 'Spalte', 'Spalten')}`,
    chart: (name) => `sieht das Diagramm ${name}`,
    title: (person, name) => `${name} nicht mehr für ${person} freigeben?`,
    text: (person) => `${person} kann das nicht mehr öffnen. Andere Freigaben bleiben bestehen.`,
    submit: 'Freigabe beenden',
  },
};
