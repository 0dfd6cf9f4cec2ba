import type { shareLinks as english } from '../en/share-links.ts';
import { count, number } from '../../../shared/format/format.ts';

const files = (n: number) => count(n, 'Datei', 'Dateien');

export const shareLinks: typeof english = {
  tab: 'Links',
  pageTitle: 'Freigabe-Links',
  lead: 'Wer einen dieser Links hat, kann die Dateien ohne Anmeldung öffnen. Jeder Besuch steht unter Zugriffe.',
  empty: {
    title: 'Keine Freigabe-Links',
    text: 'Ein Freigabe-Link öffnet einige deiner Dateien für alle, die ihn haben. Er kann ablaufen, ein Passwort verlangen und jederzeit widerrufen werden.',
    go: 'Dateien auswählen',
  },
  files: (names, more) =>
    more > 0 ? `${names.join(', ')} und ${count(more, 'weitere Datei', 'weitere Dateien')}` : names.join(', '),
  noFiles: 'Alle Dateien wurden gelöscht',
  folder: (path) => `Alle Dateien im Ordner ${path}, auch neue`,
  collection: (name) => `Alle Dateien in der Sammlung ${name}, auch neue`,
  ends: (when) => `Endet ${when}`,
  endless: 'Läuft nicht ab',
  password: 'Passwort',
  viewOnly: 'Nur ansehen',
  opens: (n) => `${files(n)} geöffnet`,
  opensOf: (n, max) => `${number(n)} von ${files(max)} geöffnet`,
  states: { active: 'Aktiv', expired: 'Abgelaufen', 'used-up': 'Limit erreicht' },
  copy: (name) => `Link ${name} kopieren`,
  onlyHere: 'Dein PDA hat zurzeit keine öffentliche Adresse: Freigabe-Links funktionieren nur auf diesem Computer.',
  setAddress: 'Öffentliche Adresse einrichten',
  historyLabel: (name) => `Zugriffe mit ${name}`,
  change: {
    label: (name) => `${name} ändern`,
    title: 'Link ändern',
    done: 'Link gespeichert',
  },
  revoke: {
    action: 'Widerrufen',
    label: (name) => `${name} widerrufen`,
    done: (name) => `${name} funktioniert nicht mehr`,
    doneText: 'Laufende Downloads wurden beendet. Kopien, die schon heruntergeladen wurden, gibt es weiterhin.',
  },
  revokeAll: {
    action: 'Alle Links widerrufen',
    title: 'Alle Links widerrufen?',
    text: (n) => `${count(n, 'Link wird', 'Links werden')} sofort widerrufen. Das lässt sich nicht rückgängig machen.`,
    keep: 'Behalten',
    submit: 'Alle widerrufen',
    done: 'Alle Links wurden widerrufen',
  },
  form: {
    name: 'Name',
    nameHint: 'Steht auf der Seite des Links und bei dir unter Zugriffe.',
    what: 'Was',
    oneFile: (name) => `Nur ${name}`,
    end: 'Endet',
    endChoices: {
      keep: (when) => `Wie bisher: ${when}`,
      1: 'In 1 Tag',
      7: 'In 7 Tagen',
      30: 'In 30 Tagen',
      never: 'Nie',
    },
    neverNow: 'nie',
    password: 'Passwort (optional)',
    passwordHint: 'Teile es auf anderem Weg mit als den Link, zum Beispiel telefonisch.',
    passwordKeep: 'Lass es leer, um das jetzige Passwort zu behalten.',
    removePassword: 'Passwort entfernen',
    opensMax: 'Limit (optional)',
    opensMaxHint: 'Wie viele Dateien insgesamt geöffnet oder heruntergeladen werden dürfen.',
    opensMaxInvalid: (max) => `Gib eine ganze Zahl von 1 bis ${number(max)} ein.`,
    viewOnlyHint:
      'Die Seite bietet keine Downloads an. Bildschirmfotos und Kopien des Angezeigten kann sie nicht verhindern.',
  },
  create: {
    target: 'Mit einem Link freigeben',
    targetTitles: {
      folder: (name: string) => `Ordner ${name} freigeben`,
      collection: (name: string) => `Sammlung ${name} freigeben`,
    },
    heading: 'Mit einem Link',
    text: 'Wer den Link hat, kann die Datei ohne Anmeldung auf einer eigenen Seite öffnen.',
    start: 'Neuer Link',
    submit: 'Link erstellen',
    done: 'Link erstellt',
    selected: (n) => `${files(n)} mit einem Link freigeben`,
    selectedTitle: (n) => `Link zu ${files(n)}`,
    tooMany: (max) => `Ein Link kann bis zu ${files(max)} enthalten.`,
  },
};
