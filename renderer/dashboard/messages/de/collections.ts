import { count } from '../../../shared/format/format.ts';
import type { collections as english } from '../en/collections.ts';

const files = (n: number) => count(n, 'Datei', 'Dateien');

export const collections: typeof english = {
  label: 'Sammlungen',
  all: 'Alle Dateien',
  actions: (name) => `Aktionen für ${name}`,
  name: 'Name',
  empty: {
    title: 'Keine Dateien in dieser Sammlung',
    text: 'Wähle Dateien aus und dann „Zur Sammlung hinzufügen“.',
  },
  add: {
    action: 'Zur Sammlung hinzufügen',
    done: (n, name) => `${files(n)} zu ${name} hinzugefügt`,
  },
  remove: {
    action: 'Aus der Sammlung entfernen',
    done: (n, name) => `${files(n)} aus ${name} entfernt`,
  },
  create: {
    action: 'Neue Sammlung',
    submit: 'Sammlung erstellen',
  },
  rename: {
    title: (name) => `${name} umbenennen`,
    done: (name) => `In ${name} umbenannt`,
  },
  delete: {
    title: (name) => `Die Sammlung ${name} löschen?`,
    text: 'Die Dateien darin werden nicht gelöscht. Personen und Links mit Zugriff auf die Sammlung verlieren ihn sofort. Das lässt sich nicht rückgängig machen.',
    submit: 'Sammlung löschen',
    done: (name) => `Sammlung ${name} gelöscht`,
  },
};
