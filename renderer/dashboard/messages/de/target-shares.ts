import type { targetShares as english } from '../en/target-shares.ts';

export const targetShares: typeof english = {
  button: 'Für eine Person freigeben',
  notShared: 'Für keine Person freigegeben.',
  canOpenAll: 'Kann alles darin öffnen, auch neue Dateien',
  inviteSomeone: 'Jemanden einladen',
  submitFor: (name) => `Für ${name} freigeben`,
  stoppedText: 'Laufende Downloads wurden abgebrochen. Vorher heruntergeladene Kopien gibt es weiterhin.',
  ofPerson: (name) => `Ordner und Sammlungen, die ${name} öffnen kann`,
  folder: {
    title: (folder) => `Den Ordner ${folder} für eine Person freigeben`,
    canOpenThrough: (folder) => `Kann alles im Ordner ${folder} öffnen`,
    text: 'Die Person kann alles in diesem Ordner und seinen Unterordnern öffnen, auch Dateien, die du später hinzufügst.',
    noOthers: 'Er ist schon für alle Personen freigegeben, die sich anmelden können.',
    shared: (name, folder) => `${name} kann den Ordner ${folder} öffnen`,
    stopLabel: (name, folder) => `Beenden: Freigabe des Ordners ${folder} für ${name}`,
    stopped: (name, folder) => `${name} kann den Ordner ${folder} nicht mehr öffnen`,
  },
  collection: {
    title: (collection) => `Die Sammlung ${collection} für eine Person freigeben`,
    canOpenThrough: (collection) => `Kann alles in der Sammlung ${collection} öffnen`,
    text: 'Die Person kann alle Dateien dieser Sammlung öffnen, auch Dateien, die du später hinzufügst.',
    noOthers: 'Sie ist schon für alle Personen freigegeben, die sich anmelden können.',
    shared: (name, collection) => `${name} kann die Sammlung ${collection} öffnen`,
    stopLabel: (name, collection) => `Beenden: Freigabe der Sammlung ${collection} für ${name}`,
    stopped: (name, collection) => `${name} kann die Sammlung ${collection} nicht mehr öffnen`,
  },
};
