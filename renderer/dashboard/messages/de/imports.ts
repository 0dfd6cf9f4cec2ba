import { bytes, count, duration, number } from '../../../shared/format/format.ts';
import type { imports as en } from '../en/imports.ts';
import type { Localised } from '../../../shared/messages/localised.ts';

const records = (n: number) => count(n, 'Datensatz', 'Datensätze');

export const imports = {
  pageTitle: 'Import',
  listTitle: 'Importe',
  choose: {
    title: 'Daten importieren',
    text: 'Exporte von Google, Apple Health, Kalendern, Kontakten, Postfächern und Banken sowie Dateien in JSON, GeoJSON, TopoJSON, NDJSON und CSV, bis 20 GB. Ein erneuter Import derselben Daten erzeugt keine Duplikate.',
    drop: 'Dateien hier ablegen oder auswählen',
    hint: 'Du siehst eine Vorschau, bevor etwas gespeichert wird.',
    button: 'Datei wählen',
    tooLarge: (name: string) => `Der Import von ${name} überschreitet 20 GB und wurde nicht gestartet.`,
    empty: (name: string) => `${name} ist leer und wurde nicht hochgeladen.`,
    media: (n: number) =>
      n === 1
        ? 'Die Datei wird unter „Dateien“ gespeichert: Sie enthält keine Datensätze'
        : `${number(n)} Dateien werden unter „Dateien“ gespeichert: Sie enthalten keine Datensätze`,
    failed: 'Der Upload konnte nicht gestartet werden',
  },
  list: {
    title: 'Frühere Importe',
    label: 'Importe',
    file: 'Datei',
    state: 'Status',
    records: 'Datensätze',
    when: 'Wann',
    emptyText: 'Hier stehen deine Importe. Du siehst, was jeder hinzugefügt hat, und kannst ihn rückgängig machen.',
  },
  states: {
    receiving: 'Teilweise hochgeladen',
    ready: 'Bereit zur Prüfung',
    running: 'Läuft',
    done: 'Fertig',
    failed: 'Wegen eines Fehlers abgebrochen',
    cancelled: 'Von dir abgebrochen',
    undone: 'Rückgängig gemacht',
  },
  upload: {
    title: 'Wird hochgeladen',
    paused: 'Angehalten',
    stopped: 'Der Upload wurde unterbrochen',
    stoppedText: (done: number) => `${bytes(done)} hochgeladen. Du kannst von dort fortsetzen.`,
    chooseAgain: (files: number) => `Wähle die ${files === 1 ? 'Datei' : 'Dateien'} noch einmal, um fortzusetzen`,
    chooseAgainText: (name: string, done: number, all: number) =>
      `${bytes(done)} von ${bytes(all)} hochgeladen. Sobald eine Seite geschlossen ist, kann sie deine Dateien nicht mehr lesen: Wähle ${name} noch einmal, um den Upload fortzusetzen.`,
    otherFile: (name: string, files: number) =>
      files === 1
        ? `Das ist eine andere Datei. Der Upload von ${name} lässt sich nur mit derselben Datei fortsetzen.`
        : `Dateien fehlen oder weichen ab. Der Upload von ${name} lässt sich nur mit genau denselben Dateien fortsetzen.`,
    canLeave: 'Du kannst diese Seite verlassen. Der Upload läuft weiter, solange dieser Tab offen ist.',
    label: 'Upload',
  },
  preview: {
    title: 'Was gespeichert wird',
    format: 'Format',
    formats: {
      json: 'JSON',
      geojson: 'GeoJSON, ein Datensatz je Feature',
      topojson: 'TopoJSON, ein Datensatz je Geometrie',
      ndjson: 'NDJSON, ein Wert je Zeile',
      csv: 'CSV mit einer Kopfzeile',
      bank: 'Kontoauszug (CSV)',
      known: 'Bekannter Export',
    },
    recognised: (format: string, reason: string) =>
      reason === '' ? `Erkannt als ${format}` : `Erkannt als ${format}: ${reason}`,
    unknown: 'Das Format wurde nicht erkannt',
    unknownText: 'Format wählen',
    endpoint: 'Speichern in',
    endpointExists: (n: number) =>
      `Dieser Endpunkt hat schon ${records(n)}. Identische werden nicht noch einmal hinzugefügt.`,
    types: {
      text: 'Text',
      number: 'Zahl',
      'decimal-comma': 'Zahl: 1.234,5',
      boolean: 'Ja oder nein',
      iso: 'Datum: 2026-12-31',
      'year-month-day': 'Datum: 2026/12/31',
      'month-name': 'Datum: Dec 31 2026',
      'month-day': 'Datum: 12/31/2026',
      'day-month': 'Datum: 31.12.2026',
      skip: 'Weglassen',
    },
    unchanged: {
      text: 'Text',
      number: 'Zahl',
      'decimal-comma': 'Text',
      integer: 'Ganze Zahl',
      empty: 'Text',
      boolean: 'Ja oder nein',
      object: 'Objekt',
      array: 'Liste',
      null: 'Kein Wert',
      mixed: 'Gemischt',
      iso: 'Text (Datum)',
      'year-month-day': 'Text (Datum)',
      'month-name': 'Text (Datum)',
      'month-day': 'Text (Datum)',
      'day-month': 'Text (Datum)',
    },
    value: 'Wert',
    typeLabel: (column: string) => `Typ von ${column}`,
    columns: (n: number) => count(n, 'Spalte', 'Spalten'),
    rows: (n: number, exact: boolean) => (exact ? records(n) : `etwa ${records(n)}`),
    firstRecords: 'Erste Datensätze',
    firstOnly: 'Nur die ersten Datensätze werden angezeigt.',
    lists: {
      label: 'Datensätze',
      kinds: {
        object: 'Welche Liste der Datei enthält die Datensätze?',
        geojson: 'Wähle das Format GeoJSON, um je Feature einen Datensatz zu erhalten.',
        topojson: 'Wähle das Format TopoJSON, um je Geometrie einen Datensatz zu erhalten.',
      },
      topologyObject: 'Welches Objekt der Karte enthält die Datensätze?',
      list: (name: string, n: number, areObjects: boolean) =>
        `${name}: ${areObjects ? records(n) : count(n, 'Wert', 'Werte')}`,
      atLeast: (name: string, n: number) => `${name}: ${number(n)} oder mehr`,
      wholeFile: 'Die ganze Datei als ein Datensatz',
    },
    broken: (line: number | null, problem: string) => (line === null ? problem : `Zeile ${number(line)}: ${problem}`),
    brokenTitle: 'Diese Datei enthält einen Fehler',
    brokenText: 'Alles vor dem Fehler kannst du trotzdem importieren.',
    run: 'Importieren',
    discard: 'Upload verwerfen',
  },
  kinds: {
    'calendar/events': (n: number) => count(n, 'Termin', 'Termine'),
    'calendar/tasks': (n: number) => count(n, 'Aufgabe', 'Aufgaben'),
    'contacts/people': (n: number) => count(n, 'Kontakt', 'Kontakte'),
    'mail/messages': (n: number) => count(n, 'Nachricht', 'Nachrichten'),
    'health/records': (n: number) => count(n, 'Messung', 'Messungen'),
    'health/workouts': (n: number) => count(n, 'Training', 'Trainings'),
    'health/days': (n: number) => count(n, 'Aktivitätstag', 'Aktivitätstage'),
    'health/ecgs': (n: number) => count(n, 'EKG', 'EKGs'),
    'google/locations': (n: number) => count(n, 'Position', 'Positionen'),
    'google/visits': (n: number) => count(n, 'Besuch', 'Besuche'),
    'google/trips': (n: number) => count(n, 'Weg', 'Wege'),
    'google/activity': (n: number) => count(n, 'Aktivität', 'Aktivitäten'),
    'bank/transactions': (n: number) => count(n, 'Buchung', 'Buchungen'),
  },
  contents: {
    sources: {
      google: 'Google Takeout',
      'apple-health': 'Apple Health',
      calendar: 'Kalender',
      contacts: 'Kontakte',
      mail: 'Postfach',
      bank: 'Kontoauszug',
      mixed: 'Mehrere Quellen',
    },
    scanning: 'Deine Dateien werden durchsucht. Das dauert einige Sekunden.',
    summary: (source: string, kinds: string) => `${source}: ${kinds}`,
    more: (counted: string) => `mindestens ${counted}`,
    incomplete: 'Zu groß, um alles in wenigen Sekunden zu zählen. Importiert wird alles.',
    between: (first: string, last: string) => (first === last ? first : `${first} bis ${last}`),
    target: (endpoint: string) => `wird in ${endpoint} gespeichert`,
    samples: 'Beispiele zeigen',
    leftOut: (n: number) =>
      n === 1
        ? 'Eine Datei enthält keine unterstützten Daten und wird übersprungen.'
        : `${number(n)} Dateien enthalten keine unterstützten Daten und werden übersprungen.`,
    unreadable: (n: number) =>
      n === 1 ? 'Ein Eintrag lässt sich nicht lesen' : `${number(n)} Einträge lassen sich nicht lesen`,
    unreadableText: (n: number) =>
      `${n === 1 ? 'Er wird' : 'Sie werden'} übersprungen. Andere Einträge sind nicht betroffen.`,
    showErrors: (shown: number, n: number) => (shown < n ? `Die ersten ${number(shown)} zeigen` : 'Details zeigen'),
    existingHint: 'Vorhandene Datensätze werden nicht noch einmal hinzugefügt. Seither geänderte werden aktualisiert.',
  },
  bank: {
    title: 'Format des Kontoauszugs',
    text: 'Jede Bank benennt ihre Spalten anders. Prüfe, ob diese Einstellungen stimmen.',
    column: 'Spalte',
    role: 'Bedeutung',
    roleLabel: (column: string) => `Bedeutung von ${column}`,
    roles: {
      date: 'Buchungstag',
      valueDate: 'Wertstellung',
      amount: 'Betrag',
      debit: 'Ausgang',
      credit: 'Eingang',
      direction: 'Soll oder Haben',
      currency: 'Währung',
      counterparty: 'Empfänger oder Auftraggeber',
      counterpartyAccount: 'Konto der Gegenseite',
      text: 'Verwendungszweck',
      type: 'Art der Buchung',
      balance: 'Saldo',
      other: 'Unverändert übernehmen',
      skip: 'Überspringen',
    },
    headerLine: 'Kopfzeile',
    separator: 'Spaltentrennzeichen',
    separators: { ';': 'Semikolons', ',': 'Kommas', '\t': 'Tabulatoren', '|': 'Senkrechte Striche' },
    decimal: 'Dezimalzeichen',
    decimals: { ',': 'Komma: 1.234,56', '.': 'Punkt: 1,234.56' },
    dateOrder: 'Datumsreihenfolge',
    dateOrders: { dmy: 'Tag, Monat, Jahr', mdy: 'Monat, Tag, Jahr', ymd: 'Jahr, Monat, Tag' },
    encoding: 'Zeichenkodierung',
    encodings: { 'utf-8': 'UTF-8', 'windows-1252': 'Westlich (Windows)', 'utf-16le': 'UTF-16' },
    asTable: 'Stattdessen als einfache Tabelle importieren',
    none: 'Mit diesen Einstellungen lässt sich keine Buchung lesen.',
  },
  how: {
    title: 'Wie du an deine Daten kommst',
    text: 'Die meisten Programme und Dienste bieten in ihren Einstellungen einen Export an. Wähle die exportierte Datei hier unverändert. Du musst sie nicht entpacken.',
    sources: [
      {
        id: 'google',
        name: 'Google',
        steps: [
          'Öffne takeout.google.com und melde dich an. Wähle „Auswahl aufheben“ und dann, was du willst: Kalender, Kontakte, Mail, Meine Aktivitäten, Standortverlauf.',
          'Wähle bei Meine Aktivitäten das Format JSON.',
          'Wähle .zip oder .tgz. Wenn du mehrere Dateien bekommst, wähle sie hier alle zusammen.',
          'Die neuere Zeitachse gibt es nur auf dem Telefon: bei Android in den Einstellungen unter Standort, Zeitachse, „Zeitachsendaten exportieren“; auf dem iPhone in Google Maps unter „Meine Daten in Maps“.',
        ],
      },
      {
        id: 'apple-health',
        name: 'Apple Health',
        steps: [
          'Öffne auf dem iPhone Health, tippe oben rechts auf dein Bild und dann auf „Alle Gesundheitsdaten exportieren“.',
          'Schicke die Datei Export.zip auf diesen Computer und wähle sie hier.',
        ],
      },
      {
        id: 'calendar',
        name: 'Kalender und Kontakte',
        steps: [
          'Suche in deinem Kalender nach „Exportieren“. Du bekommst eine Datei, die auf .ics endet.',
          'Exportiere im Adressbuch alle Kontakte als vCard. Du bekommst eine Datei, die auf .vcf endet.',
        ],
      },
      {
        id: 'mail',
        name: 'Postfach',
        steps: [
          'Die meisten Mailprogramme können einen Ordner als mbox speichern. Manche Anbieter exportieren das ganze Postfach in diesem Format.',
          'Gespeichert werden der Text deiner Nachrichten und die Namen der Anhänge. Die Anhänge selbst bleiben im Postfach.',
        ],
      },
      {
        id: 'bank',
        name: 'Bankkonto',
        steps: [
          'Öffne im Onlinebanking die Liste der Umsätze und suche nach „Exportieren“ oder „Herunterladen“ als CSV.',
          'Hier kannst du prüfen und korrigieren, wie jede Spalte gelesen wird.',
        ],
      },
    ],
  },
  run: {
    title: 'Wird importiert',
    target: (endpoint: string) => `in ${endpoint}`,
    progress: (added: number, skipped: number) =>
      skipped === 0
        ? `${records(added)} hinzugefügt`
        : `${records(added)} hinzugefügt, ${number(skipped)} schon vorhanden`,
    canLeave: 'Du kannst diese Seite verlassen oder schließen. Der Import läuft weiter.',
    stop: 'Import abbrechen',
    label: 'Import',
  },
  done: {
    title: (n: number, endpoint: string) =>
      endpoint === '' ? `${records(n)} hinzugefügt` : `${records(n)} zu ${endpoint} hinzugefügt`,
    titleChanged: (n: number) => `${records(n)} aktualisiert`,
    changed: (n: number) => `${records(n)} aktualisiert.`,
    kindAdded: (what: string, same: number, changed: number) =>
      [
        `${what} hinzugefügt`,
        ...(same === 0 ? [] : [`${number(same)} schon vorhanden`]),
        ...(changed === 0 ? [] : [`${number(changed)} aktualisiert`]),
      ].join(', '),
    nothing: 'Nichts wurde hinzugefügt',
    nothingText: 'Der Import enthielt keine neuen oder geänderten Datensätze.',
    skipped: (n: number) =>
      n === 1
        ? 'Einer war schon vorhanden und wurde nicht noch einmal hinzugefügt.'
        : `${number(n)} waren schon vorhanden und wurden nicht noch einmal hinzugefügt.`,
    durationText: (ms: number) => `Es hat ${duration(ms)} gedauert.`,
    open: 'Datensätze öffnen',
    undo: 'Import rückgängig machen',
    importAnother: 'Weitere Datei importieren',
    failed: (line: number | null) =>
      line === null
        ? 'Der Import wurde wegen eines Fehlers abgebrochen'
        : `Der Import wurde in Zeile ${number(line)} abgebrochen`,
    failedText: (problem: string, added: number) =>
      `${problem}. ${added === 0 ? 'Nichts wurde hinzugefügt.' : `Vor dem Fehler importiert und erhalten: ${records(added)}.`}`,
    failedAgain: 'Importiere die Datei noch einmal: Vorhandene Datensätze werden nicht doppelt hinzugefügt.',
    failedNext:
      'Behebe den Fehler und importiere die Datei noch einmal: Vorhandene Datensätze werden nicht doppelt hinzugefügt.',
    cancelled: 'Du hast diesen Import abgebrochen',
    cancelledText: (added: number) =>
      added === 0 ? 'Nichts wurde hinzugefügt.' : `Davor importiert und erhalten: ${records(added)}.`,
    undone: 'Import rückgängig gemacht',
    undoneText: (endpoint: string) =>
      `Alles, was der Import hinzugefügt hat, wurde entfernt.${endpoint === '' ? ' Was er aktualisiert hat, hat wieder seinen früheren Inhalt, außer es wurde seither geändert.' : ''}`,
    undoConfirm: (n: number) => (n === 0 ? 'Import rückgängig machen' : `${records(n)} entfernen`),
    undoText: (n: number, endpoint: string) =>
      n === 0
        ? 'Was der Import aktualisiert hat, bekommt seinen früheren Inhalt zurück, außer es wurde seither geändert.'
        : endpoint === ''
          ? `Das entfernt, was der Import hinzugefügt hat: ${records(n)}. Was vorher da war, bleibt. Was er aktualisiert hat, bekommt seinen früheren Inhalt zurück, außer es wurde seither geändert.`
          : n === 1
            ? `Das entfernt den einen Datensatz, den der Import zu ${endpoint} hinzugefügt hat. Was vorher da war, bleibt.`
            : `Das entfernt die ${records(n)}, die der Import zu ${endpoint} hinzugefügt hat. Was vorher da war, bleibt.`,
    keep: 'Behalten',
    removeFromList: 'Aus dieser Liste entfernen',
  },
} satisfies Localised<typeof en>;
