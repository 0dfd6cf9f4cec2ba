import { bytes, count, duration, number } from '../../../shared/format/format.ts';
import type { imports as en } from '../en/imports.ts';
import type { Localised } from '../../../shared/messages/localised.ts';

const records = (n: number) => count(n, 'Datensatz', 'Datensätze');

export const imports = {
  pageTitle: 'Import',
  listTitle: 'Importe',
  choose: {
    title: 'Daten importieren',
    text: 'Exporte von Google, Apple Health, Kalendern, Kontakten, Postfächern und Banken; JSON, NDJSON oder CSV; bis 20 GB. Dasselbe noch einmal zu importieren fügt nichts doppelt hinzu.',
    drop: 'Lass hier Dateien fallen, oder wähle sie',
    hint: 'Du siehst, was darin ist, bevor etwas gespeichert wird.',
    button: 'Datei wählen',
    tooLarge: (name: string) => `${name} ist größer als 20 GB. Nichts wurde hochgeladen.`,
    empty: (name: string) => `${name} ist leer. Nichts wurde hochgeladen.`,
    failed: 'Der Upload konnte nicht beginnen',
  },
  list: {
    title: 'Frühere Importe',
    label: 'Importe',
    file: 'Datei',
    state: 'Stand',
    records: 'Datensätze',
    when: 'Wann',
    emptyText:
      'Hier stehen dann die Importe, damit du siehst, was jeder hinzugefügt hat, und ihn rückgängig machen kannst.',
  },
  states: {
    receiving: 'Zum Teil hochgeladen',
    ready: 'Wartet auf dich',
    running: 'Läuft',
    done: 'Fertig',
    failed: 'An einem Fehler abgebrochen',
    cancelled: 'Von dir abgebrochen',
    undone: 'Rückgängig gemacht',
  },
  upload: {
    title: 'Wird hochgeladen',
    paused: 'Angehalten',
    progress: (done: number, all: number) => `${bytes(done)} von ${bytes(all)}`,
    remaining: (ms: number) => `noch etwa ${duration(ms)}`,
    pause: 'Anhalten',
    resume: 'Weiter',
    stopped: 'Der Upload ist stehen geblieben',
    stoppedText: (done: number) => `${bytes(done)} sind angekommen und bleiben. Du kannst von dort weitermachen.`,
    again: 'Wähle die Datei noch einmal, um weiterzumachen',
    againText: (name: string, done: number, all: number) =>
      `${bytes(done)} von ${bytes(all)} sind angekommen. Eine Seite kann deine Dateien nicht von selbst öffnen, nachdem sie geschlossen war: Wähle ${name} noch einmal, und der Upload geht von dort weiter.`,
    otherFile: (name: string) =>
      `Das ist eine andere Datei. Der Upload von ${name} kann nur mit derselben Datei weitergehen.`,
    leave: 'Du kannst diese Seite verlassen; der Upload geht weiter, solange dieser Tab offen ist.',
    label: 'Upload',
    discard: 'Verwerfen',
  },
  preview: {
    title: 'Was gespeichert würde',
    format: 'Format',
    formats: {
      json: 'JSON',
      ndjson: 'NDJSON, ein Wert je Zeile',
      csv: 'CSV mit einer Kopfzeile',
      bank: 'Kontoauszug (CSV)',
      known: 'Bekannter Export',
    },
    recognised: (format: string, reason: string) =>
      reason === '' ? `Für ${format} gehalten` : `Für ${format} gehalten: ${reason}`,
    unknown: 'Diese Datei wurde nicht erkannt',
    unknownText: 'Wähle ihr Format, wenn du es kennst.',
    endpoint: 'Speichern in',
    endpointHint: 'Eine Quelle, ein Schrägstrich, und was es ist',
    endpointExists: (n: number) => `Hier sind schon ${records(n)}. Gleiche werden nicht noch einmal hinzugefügt.`,
    endpointBad: 'Verwende <quelle>/<name>, mit Buchstaben, Ziffern und - . _ ~',
    column: 'Spalte',
    type: 'Gespeichert als',
    examples: 'Beispiele',
    types: { text: 'Text', number: 'Zahl', boolean: 'Ja oder nein', skip: 'Weglassen' },
    guessed: {
      text: 'Text',
      number: 'Zahl',
      integer: 'ganze Zahl',
      empty: 'leer',
      boolean: 'ja oder nein',
      object: 'Objekt',
      array: 'Liste',
      null: 'nichts',
      mixed: 'gemischt',
      date: 'Datum',
    },
    typeLabel: (column: string) => `Art von ${column}`,
    columns: (n: number) => count(n, 'Spalte', 'Spalten'),
    sample: 'Die ersten Datensätze',
    broken: (line: number | null, problem: string) => (line === null ? problem : `Zeile ${number(line)}: ${problem}`),
    brokenTitle: 'In dieser Datei ist ein Fehler',
    brokenText: 'Was vor dem Fehler steht, lässt sich importieren. Ein Versuch kostet nichts.',
    run: 'Importieren',
    discard: 'Den Upload verwerfen',
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
  found: {
    sources: {
      google: 'Google Takeout',
      'apple-health': 'Apple Health',
      calendar: 'Ein Kalender',
      contacts: 'Kontakte',
      mail: 'Ein Postfach',
      bank: 'Ein Kontoauszug',
      mixed: 'Verschiedenes',
    },
    title: 'Was gefunden wurde',
    looking: 'Wird durchgesehen. Das dauert einige Sekunden.',
    said: (source: string, kinds: string) => `${source}: ${kinds}`,
    more: (counted: string) => `mehr als ${counted}`,
    incomplete: 'Zum Zählen in wenigen Sekunden ist es zu groß. Importiert wird alles.',
    between: (first: string, last: string) => (first === last ? first : `${first} bis ${last}`),
    into: (endpoint: string) => `wird in ${endpoint} gespeichert`,
    choose: 'Diese Art importieren',
    samples: 'Einige davon zeigen',
    leftOut: (n: number) =>
      n === 1
        ? 'Eine Datei darin enthält nichts, was gelesen wird, und bleibt draußen.'
        : `${number(n)} Dateien darin enthalten nichts, was gelesen wird, und bleiben draußen.`,
    troubles: (n: number) =>
      n === 1 ? 'Ein Eintrag lässt sich nicht lesen' : `${number(n)} Einträge lassen sich nicht lesen`,
    troublesText: (n: number) => `${n === 1 ? 'Er wird' : 'Sie werden'} übergangen; alles andere wird importiert.`,
    troublesFirst: (shown: number, n: number) => (shown < n ? `Die ersten ${number(shown)} davon` : 'Welche es sind'),
    run: 'Importieren',
    twice:
      'Was schon da ist, kommt nicht doppelt hinzu. Was sich seitdem geändert hat, wird auf den neuen Stand gebracht.',
    nothing: 'Wähle mindestens eine Art.',
  },
  bank: {
    title: 'Wie der Kontoauszug gelesen wird',
    text: 'Banken nennen ihre Spalten, wie sie wollen. Sieh nach, ob das hier stimmt.',
    column: 'Spalte',
    role: 'Was sie ist',
    roleLabel: (column: string) => `Was ${column} ist`,
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
      other: 'Behalten, wie es ist',
      skip: 'Weglassen',
    },
    headerLine: 'Zeile mit den Überschriften',
    separator: 'Zellen sind getrennt durch',
    separators: { ';': 'Strichpunkte', ',': 'Kommas', '\t': 'Tabulatoren', '|': 'Striche' },
    decimal: 'Dezimalzeichen',
    decimals: { ',': 'Komma: 1.234,56', '.': 'Punkt: 1,234.56' },
    dateOrder: 'Reihenfolge im Datum',
    dateOrders: { dmy: 'Tag, Monat, Jahr', mdy: 'Monat, Tag, Jahr', ymd: 'Jahr, Monat, Tag' },
    encoding: 'Zeichenkodierung',
    encodings: { 'utf-8': 'UTF-8', 'windows-1252': 'Westlich (Windows)', 'utf-16le': 'UTF-16' },
    asTable: 'Stattdessen als einfache Tabelle importieren',
    asBank: 'Das ist ein Kontoauszug',
    none: 'So lässt sich keine Buchung lesen.',
  },
  how: {
    title: 'Wie du an deine Daten kommst',
    text: 'Programme und Firmen geben sie heraus, meist in ihren Einstellungen. Wähle die Datei hier so, wie sie kommt; entpackt werden muss nichts.',
    sources: [
      {
        id: 'google',
        name: 'Google',
        steps: [
          'Öffne takeout.google.com und melde dich an. Wähle „Auswahl aufheben“ und dann, was du willst: Kalender, Kontakte, Mail, Meine Aktivitäten, Standortverlauf.',
          'Wähle bei Meine Aktivitäten das Format JSON.',
          'Nimm .zip oder .tgz. Kommt es in mehreren Dateien, wähle sie hier alle zusammen.',
          'Die neuere Zeitachse ist nur auf dem Telefon: bei Android in den Einstellungen unter Standort, Zeitachse, „Zeitachsendaten exportieren“; auf dem iPhone in Google Maps unter „Meine Daten in Maps“.',
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
          'Suche in deinem Kalender nach „Exportieren“: Es entsteht eine Datei, die auf .ics endet.',
          'Exportiere im Adressbuch alle Kontakte als vCard: eine Datei, die auf .vcf endet.',
        ],
      },
      {
        id: 'mail',
        name: 'Ein Postfach',
        steps: [
          'Die meisten Mailprogramme können einen Ordner als mbox speichern; manche Anbieter geben so das ganze Postfach heraus.',
          'Gespeichert werden die Worte deiner Nachrichten und die Namen der Anhänge. Die Anhänge selbst bleiben im Postfach.',
        ],
      },
      {
        id: 'bank',
        name: 'Ein Bankkonto',
        steps: [
          'Öffne im Onlinebanking die Liste der Umsätze und suche nach „Exportieren“ oder „Herunterladen“ als CSV.',
          'Hier siehst du, wie jede Spalte verstanden wird, und kannst es ändern.',
        ],
      },
    ],
  },
  run: {
    title: 'Wird importiert',
    into: (endpoint: string) => `in ${endpoint}`,
    progress: (added: number, skipped: number) =>
      skipped === 0
        ? `${records(added)} hinzugefügt`
        : `${records(added)} hinzugefügt, ${number(skipped)} waren schon da`,
    remaining: (ms: number) => `noch etwa ${duration(ms)}`,
    leave: 'Du kannst diese Seite verlassen oder schließen; der Import geht weiter.',
    stop: 'Hier aufhören',
    label: 'Import',
  },
  done: {
    title: (n: number, endpoint: string) =>
      endpoint === '' ? `${records(n)} hinzugefügt` : `${records(n)} zu ${endpoint} hinzugefügt`,
    changed: (n: number) => `${records(n)} auf den neuen Stand gebracht.`,
    kindAdded: (what: string, same: number, changed: number) =>
      [
        `${what} hinzugefügt`,
        ...(same === 0 ? [] : [`${number(same)} schon da`]),
        ...(changed === 0 ? [] : [`${number(changed)} auf den neuen Stand gebracht`]),
      ].join(', '),
    nothing: 'Nichts wurde hinzugefügt',
    nothingText: 'Jeder Datensatz dieser Datei war schon da.',
    skipped: (n: number) =>
      n === 1
        ? 'Einer war schon da und wurde nicht noch einmal hinzugefügt.'
        : `${number(n)} waren schon da und wurden nicht noch einmal hinzugefügt.`,
    took: (ms: number) => `Es hat ${duration(ms)} gedauert.`,
    open: 'Die Datensätze öffnen',
    undo: 'Diesen Import rückgängig machen',
    another: 'Noch eine Datei importieren',
    failed: (line: number | null) =>
      line === null ? 'Der Import brach an einem Fehler ab' : `Der Import brach in Zeile ${number(line)} ab`,
    failedText: (problem: string, added: number) =>
      `${problem}. ${added === 0 ? 'Nichts wurde hinzugefügt.' : `Was davor kam, ist gespeichert und bleibt: ${records(added)}.`}`,
    failedAgain: 'Importiere es noch einmal: Was schon gespeichert ist, kommt nicht doppelt hinzu.',
    failedNext:
      'Bringe diese Zeile in Ordnung und importiere die Datei noch einmal: Was schon gespeichert ist, kommt nicht doppelt hinzu.',
    cancelled: 'Du hast diesen Import abgebrochen',
    cancelledText: (added: number) =>
      added === 0 ? 'Nichts wurde hinzugefügt.' : `Davor kamen ${records(added)} hinzu; die bleiben.`,
    undone: 'Dieser Import wurde rückgängig gemacht',
    undoneText: 'Was er hinzugefügt hatte, ist entfernt.',
    undoConfirm: (n: number) => `${records(n)} entfernen`,
    undoTitle: 'Diesen Import rückgängig machen',
    undoText: (n: number, endpoint: string) =>
      endpoint === ''
        ? `Das entfernt, was er hinzugefügt hat: ${records(n)}. Was vorher da war, bleibt; was er auf den neuen Stand gebracht hat, wird wieder, wie es war, außer du hast es seither geändert.`
        : n === 1
          ? `Das entfernt den einen Datensatz, den er zu ${endpoint} hinzugefügt hat. Was vorher da war, bleibt.`
          : `Das entfernt die ${records(n)}, die er zu ${endpoint} hinzugefügt hat. Was vorher da war, bleibt.`,
    keep: 'Behalten',
    forget: 'Aus dieser Liste entfernen',
  },
} satisfies Localised<typeof en>;
