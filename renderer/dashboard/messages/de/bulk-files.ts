import { count, number } from '../../../shared/format/format.ts';
import { list } from '../../../shared/messages/de/consent.ts';
import type { bulkFiles as english } from '../en/bulk-files.ts';

const fileCount = (n: number) => count(n, 'Datei', 'Dateien');

export const bulkFiles: typeof english = {
  tooMany: (max) => `Wähle höchstens ${number(max)} Dateien.`,
  download: {
    button: 'Herunterladen',
    started: 'Download gestartet',
    startedText: (n) => `Ein ZIP-Archiv mit ${fileCount(n)}.`,
    missing: (n) => `${fileCount(n)} ausgelassen: unvollständig, gelöscht oder von einem anderen Programm geändert.`,
  },
  tags: {
    button: 'Schlagwörter…',
    title: (n) => `Schlagwörter von ${fileCount(n)}`,
    current: 'Schlagwörter der ausgewählten Dateien',
    counts: (n, all) => (n === all ? 'Alle ausgewählten Dateien' : `${number(n)} von ${fileCount(all)}`),
    choices: {
      add: 'Wird allen ausgewählten Dateien hinzugefügt',
      remove: 'Wird von allen ausgewählten Dateien entfernt',
    },
    add: 'Schlagwörter hinzufügen',
    save: 'Schlagwörter speichern',
    done: (n) => `Schlagwörter von ${fileCount(n)} geändert`,
    doneText: 'Bei den anderen Dateien war nichts zu ändern.',
    doneAllText: 'Alle ausgewählten Dateien wurden geändert.',
    unchanged: 'Kein Schlagwort wurde geändert',
    undone: 'Frühere Schlagwörter wiederhergestellt',
  },
  move: {
    button: 'Verschieben…',
    title: (n) => `${fileCount(n)} verschieben`,
    text: 'Die Dateien werden auch im Ordner auf diesem Computer verschoben. Hochgeladene Dateien behalten ihre Quelle.',
    folders: 'Ordner',
    top: 'Oberster Ordner',
    noFolders: 'Keine Unterordner.',
    newFolder: 'Neuer Unterordner',
    newFolderHint: 'Leer lassen, um die Dateien in den gewählten Ordner zu verschieben.',
    invalidName: 'Gib einen Namen ohne Schrägstriche ein.',
    submit: (folder) => `In ${folder} verschieben`,
    submitTop: 'In den obersten Ordner verschieben',
    opensTo: (people) =>
      `Danach ${people.length === 1 ? 'kann' : 'können'} ${list(people)} sie öffnen: Dieser Ordner ist freigegeben.`,
    opensLinks: (links) =>
      `Danach können alle mit ${links.length === 1 ? 'dem Freigabe-Link' : 'den Freigabe-Links'} ${list(links)} sie öffnen.`,
    closesTo: (people) =>
      `${list(people)} ${people.length === 1 ? 'kann' : 'können'} Dateien nicht mehr öffnen, die einen freigegebenen Ordner verlassen, außer du gibst sie auch anders frei.`,
    closesLinks: (links) =>
      links.length === 1
        ? `Der Freigabe-Link ${list(links)} zeigt Dateien nicht mehr, die seinen Ordner verlassen.`
        : `Die Freigabe-Links ${list(links)} zeigen Dateien nicht mehr, die ihre Ordner verlassen.`,
    done: (n, folder) =>
      folder === undefined
        ? `${fileCount(n)} in den obersten Ordner verschoben`
        : `${fileCount(n)} in ${folder} verschoben`,
    doneText: 'Auch im Ordner auf diesem Computer.',
    unchanged: 'Die Dateien sind schon in diesem Ordner',
    undone: (n) => `${fileCount(n)} zurückverschoben`,
    refused: (n, all) => `${number(n)} von ${fileCount(all)} nicht verschoben`,
    more: (n) => `und ${number(n)} weitere`,
    problems: {
      name_taken: 'Im Ordner gibt es schon eine Datei mit diesem Namen.',
      changed: 'Ein anderes Programm hat die Datei gerade geändert. Versuche es gleich noch einmal.',
      busy: 'Eine andere Aktion mit der Datei läuft. Versuche es noch einmal.',
      missing: 'Die Datei wurde inzwischen gelöscht.',
      not_possible: 'In den Ordner lässt sich nicht schreiben, oder er liegt auf einem anderen Datenträger.',
    },
  },
};
