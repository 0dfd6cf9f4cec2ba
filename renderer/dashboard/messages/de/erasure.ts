import { bytes, count } from '../../../shared/format/format.ts';
import type { erasure as en } from '../en/erasure.ts';
import type { Localised } from '../../../shared/messages/localised.ts';

const records = (n: number) => count(n, 'Datensatz', 'Datensätze');

/** Settings → Erase. */
export const erasure = {
  pageTitle: 'Endgültig löschen',
  lead: 'Entfernt Daten vollständig von dieser Festplatte. Normales Löschen kannst du eine Zeit lang rückgängig machen, dieses nicht.',
  link: {
    application: 'Endgültig löschen, was sie gespeichert hat',
    file: 'Diese Datei endgültig löschen',
    namespace: (name: string) => `Alles unter ${name} endgültig löschen`,
  },
  choose: 'Was willst du löschen?',
  kind: 'Art',
  kinds: {
    application: 'Was eine Anwendung gespeichert hat',
    namespace: 'Eine Quelle',
    file: 'Eine Datei',
    everything: 'Alles',
  },
  which: {
    application: 'Anwendung',
    namespace: 'Quelle',
    file: 'Datei',
  },
  whichHint: {
    application: 'Alle ihre Datensätze, Dateien und Sitzungen. Sie wird auch gestoppt.',
    namespace: 'Alle Datensätze einer Quelle, auf Wunsch auch die Ergebnisse von Funktionen daraus.',
    file: 'Inhalt, Name, Schlagwörter und Einträge im Suchindex. Tippe, um die Datei zu suchen; gelöschte Dateien findest du über ihre ID.',
  },
  preview: 'Vorschau',
  willBeErased: 'Wird gelöscht',
  nothingHere: 'Unter diesem Namen ist nichts gespeichert. Spuren früherer Löschungen würden entfernt.',
  counts: {
    records,
    deletedRecords: (n: number) =>
      count(
        n,
        'gelöschter Datensatz, der sich noch wiederherstellen lässt',
        'gelöschte Datensätze, die sich noch wiederherstellen lassen',
      ),
    derivedRecords: (n: number) =>
      n === 1 ? `${records(n)}, den Funktionen erzeugt haben` : `${records(n)}, die Funktionen erzeugt haben`,
    imports: (n: number) => count(n, 'Import mit seiner Datei', 'Importe mit ihren Dateien'),
    files: (n: number) => count(n, 'Datei', 'Dateien'),
    sessions: (n: number) => count(n, 'Sitzung', 'Sitzungen'),
    consents: (n: number) =>
      `${count(n, 'Einwilligung', 'Einwilligungen')}: beendet, die Werte in den Filtern gelöscht`,
  },
  everythingElse:
    'Dein Konto, seine Schlüssel und Einstellungen, Funktionen und alles in seinem Ordner, auch Kopien der Datenbank',
  size: (n: number) => `${bytes(n)} Daten`,
  since: 'Älteste Daten von',
  at: (endpoints: readonly string[]) => `In ${endpoints.join(', ')}`,
  more: (n: number) => `und ${count(n, 'weiterer Endpunkt', 'weitere Endpunkte')}`,
  derived: 'Auch löschen, was Funktionen daraus erzeugt haben',
  derivedOf: (list: readonly { function: string; records: number }[]) =>
    list.map((output) => `${output.function} (${records(output.records)})`).join(', '),
  copies: (n: number, size: number) =>
    `Auch ${count(n, 'Kopie', 'Kopien')} der Datenbank im Ordner dieses PDA löschen (${bytes(size)})`,
  copiesWhy:
    'Sie enthalten frühere Daten, zum Beispiel von vor einer Aktualisierung. Ohne eine solche Kopie lässt sich die Aktualisierung nicht rückgängig machen.',
  notErased: 'Nicht gelöscht',
  copiesOfOthers: 'Kopien, die andere besitzen, kann dein PDA nicht löschen. Einen Teil dieser Daten gelesen haben:',
  unread: 'Laut Zugriffsverlauf hast nur du diese Daten gelesen.',
  readerCounts: (reader: string, reads: number, n: number) =>
    `${reader}: ${count(reads, 'Mal', 'Mal')}, ${records(n)} insgesamt, zuletzt`,
  backups: 'Diese Sicherungen enthalten die Daten vielleicht noch:',
  backupsUnknown:
    'Sicherungen an anderen Orten kennt dein PDA nicht. Lösche die Sicherungen, die diese Daten enthalten, selbst.',
  backupsNone: 'Keine Sicherung enthält diese Daten.',
  backupUntil: 'aufbewahrt bis',
  backupFolders: (folders: readonly string[]) =>
    `Dieses PDA hat Sicherungen in ${folders.join('; ')} gespeichert. Jede Sicherung dort enthält die Daten vielleicht noch.`,
  disk: 'Kein Programm kann löschen, was die Festplatte selbst behält, etwa Reservezellen einer SSD oder Schnappschüsse des Systems. Eine verschlüsselte Festplatte schützt davor.',
  retained: 'Was bleibt, und warum',
  remainders: {
    ledger:
      'Der Zugriffsverlauf: wer was wann gelesen hat, mit Endpunkten und Feldnamen, ohne Werte. Er dient dir als Nachweis.',
    consents: 'Einwilligungen: was vereinbart war, wann, und dass es endete. Sie enthalten Feldnamen, keine Werte.',
    queries:
      'Kombinatoren und Datenbündel, die diese Daten lesen: Sie beschreiben eine Abfrage. Du kannst sie selbst löschen.',
    counts: 'Die Anzahl hinzugefügter und gelöschter Datensätze pro Tag.',
    sameContent: 'Andere Dateien mit demselben Inhalt. Lösche jede davon einzeln.',
    unassigned: 'Hochgeladene Dateien für Importe, die nie begonnen wurden. Verwirf sie unter Daten.',
    config: 'config.json, mit Einstellungen und ohne deine Daten.',
  },
  confirm: 'Bestätigen',
  wait: (seconds: number) =>
    seconds <= 1
      ? 'Die Datenbank wird dafür neu geschrieben; das dauert etwa eine Sekunde, in der nichts gespeichert werden kann.'
      : `Die Datenbank wird dafür neu geschrieben. Etwa ${count(seconds, 'Sekunde', 'Sekunden')} lang lassen sich keine neuen Daten speichern.`,
  starts: 'Danach startet dieses PDA leer neu und muss wieder eingerichtet werden. Alle werden abgemeldet, auch du.',
  typeToConfirm: (text: string) => `Gib ${text} ein`,
  mismatch: 'Der Text stimmt nicht überein.',
  missing: 'Fülle dieses Feld aus.',
  submit: {
    application: 'Was sie gespeichert hat, endgültig löschen',
    namespace: 'Diese Quelle endgültig löschen',
    file: 'Diese Datei endgültig löschen',
    everything: 'Alles endgültig löschen',
  },
  started: 'Das Löschen hat begonnen. Du kannst diese Seite verlassen.',
  starting: 'Alles wird gelöscht',
  startingText: 'Dieses PDA startet neu. Die Seite zum Einrichten öffnet sich, sobald es bereit ist.',
  reports: 'Löschungen',
  noReports: 'Bisher wurde nichts endgültig gelöscht.',
  subject: {
    application: (name: string) => `Was ${name} gespeichert hat`,
    namespace: (name: string) => `Quelle ${name}`,
    file: 'Eine Datei',
    everything: 'Das vorherige Konto',
  },
  fileId: (id: string) => `Im Zugriffsverlauf: ${id}`,
  done: 'Gelöscht',
  running: 'Wird gelöscht',
  waiting: 'Wartet auf den nächsten Versuch',
  steps: {
    hold: 'Änderungen anhalten',
    records: 'Datensätze löschen',
    derived: 'Ergebnisse von Funktionen löschen',
    files: 'Dateien löschen',
    traces: 'Andere Spuren löschen',
    indexes: 'Suchindizes bereinigen',
    copies: 'Kopien löschen',
    scrub: 'Datenbank neu schreiben',
  },
  progress: 'Fortschritt',
  keptDerived: 'Die Ergebnisse von Funktionen sind erhalten geblieben, wie du es gewählt hast.',
  copiesErased: (n: number) =>
    n === 1
      ? 'Auch eine Kopie der Datenbank wurde gelöscht.'
      : `Auch ${count(n, 'Kopie', 'Kopien')} der Datenbank wurden gelöscht.`,
  copiesRemaining: (names: readonly string[]) =>
    `Kopien im Ordner dieses PDA enthalten die Daten noch: ${names.join(', ')}.`,
  backupsRemaining: (list: readonly string[]) =>
    `Sicherungen, die die Daten vielleicht noch enthalten: ${list.join('; ')}.`,
} satisfies Localised<typeof en>;
