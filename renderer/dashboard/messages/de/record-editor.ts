import type { Localised } from '../../../shared/messages/localised.ts';
import type { recordEditor as english } from '../en/record-editor.ts';

export const recordEditor: Localised<typeof english> = {
  form: 'Formular',
  json: 'JSON',
  problems: {
    invalid: 'Berichtige zuerst das JSON. Das Formular kann nur gültiges JSON zeigen.',
    large: 'Dieser Datensatz ist zu groß für das Formular. Du kannst sein JSON bearbeiten.',
    manyFields: 'Dieser Datensatz hat zu viele Felder für das Formular. Du kannst sein JSON bearbeiten.',
    notObject: 'Das Formular braucht ein Objekt mit Feldern. Andere Werte kannst du als JSON bearbeiten.',
  },
  correctFields: 'Berichtige zuerst die markierten Felder.',
  invalid: {
    text: 'Gib einen Text ein.',
    number: 'Gib eine Zahl ein.',
    boolean: 'Wähle Ja oder Nein.',
    link: 'Gib eine Adresse ein, die mit https:// oder http:// beginnt.',
    email: 'Gib eine E-Mail-Adresse ein, zum Beispiel ada@example.com.',
    colour: 'Gib eine Farbe ein, zum Beispiel #1a7f78.',
    date: 'Gib ein vollständiges Datum ein.',
    dateTime: 'Gib ein vollständiges Datum mit Uhrzeit ein.',
    json: 'Das ist kein gültiges JSON.',
  },
  timeZone: (zone) => `Zeitzone: ${zone}`,
  chooseColour: (field) => `Farbe wählen: ${field}`,
  noValue: 'Kein Wert',
  enterValue: 'Wert eingeben',
  enterValueOf: (field) => `Wert eingeben: ${field}`,
  actions: (field) => `Aktionen für ${field}`,
  setNull: 'Auf „kein Wert“ setzen',
  remove: 'Feld entfernen',
  addField: 'Feld hinzufügen',
  list: {
    item: (field, position) => `${field}, Eintrag ${position}`,
    moveUp: (item) => `Nach oben: ${item}`,
    moveDown: (item) => `Nach unten: ${item}`,
    remove: (item) => `Entfernen: ${item}`,
    add: 'Eintrag hinzufügen',
    addTo: (field) => `Eintrag hinzufügen: ${field}`,
    empty: 'Keine Einträge',
  },
  savedText: 'Du kannst den vorigen Inhalt wiederherstellen.',
  undone: 'Änderung rückgängig gemacht',
  notUndone: 'Änderung nicht rückgängig gemacht',
  changedSince:
    'Der Datensatz wurde nach deinem Speichern noch einmal geändert. Seine Versionen zeigen den vorigen Inhalt.',
};
