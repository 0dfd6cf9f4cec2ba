import { count } from '../../../shared/format/format.ts';
import type { sharedFolders as english } from '../en/shared-folders.ts';

/** Folders that are shared with people. */
export const sharedFolders: typeof english = {
  button: 'Für eine Person freigeben',
  title: (folder) => `Den Ordner ${folder} für eine Person freigeben`,
  notShared: 'Noch für niemanden freigegeben.',
  canOpenAll: 'Kann alles darin öffnen, auch neue Dateien',
  canOpenThrough: (folder) => `Kann alles im Ordner ${folder} öffnen`,
  choose: 'Person',
  chooseNone: 'Wähle eine Person',
  text: 'Sie kann alles in diesem Ordner und seinen Unterordnern öffnen, auch Dateien, die du später hinzufügst.',
  noPeople: 'Du hast noch keine Personen hinzugefügt.',
  noOthers: 'Er ist für alle Personen freigegeben, die du hinzugefügt hast.',
  toPeople: 'Jemanden einladen',
  submit: 'Freigeben',
  submitFor: (name) => `Für ${name} freigeben`,
  shared: (name, folder) => `${name} kann den Ordner ${folder} öffnen`,
  stop: 'Beenden',
  stopLabel: (name, folder) => `Beenden: Freigabe des Ordners ${folder} für ${name}`,
  stopped: (name, folder) => `${name} kann den Ordner ${folder} nicht mehr öffnen`,
  stoppedText: 'Laufende Downloads wurden abgebrochen. Vorher heruntergeladene Kopien gibt es weiterhin.',
  ofPerson: (name) => `Ordner, die ${name} öffnen kann`,
  folders: (n) => count(n, 'freigegebener Ordner', 'freigegebene Ordner'),
};
