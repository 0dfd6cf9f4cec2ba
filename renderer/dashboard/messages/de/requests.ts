import { count, number } from '../../../shared/format/format.ts';
import type { requests as en } from '../en/requests.ts';
import type { Localised } from '../../../shared/messages/localised.ts';
import { list } from '../../../shared/messages/de/consent.ts';

const fields = (n: number) => count(n, 'Feld', 'Felder');
const records = (n: number) => count(n, 'Datensatz', 'Datensätze');

export const requests = {
  pageTitle: 'Anfragen',
  lead: (n: number) =>
    n === 0
      ? 'Keine Anfrage wartet auf deine Entscheidung.'
      : n === 1
        ? 'Eine Anfrage wartet auf deine Entscheidung. Nichts davon ist freigegeben, bevor du es erlaubst.'
        : `${number(n)} Anfragen warten auf deine Entscheidung. Nichts davon ist freigegeben, bevor du es erlaubst.`,
  badge: (n: number) => `${number(n)} warten`,
  empty: {
    title: 'Keine Anfragen',
    text: 'Wenn jemand etwas von deinen Daten sehen will, steht es hier: wer fragt, was genau hinausginge, und bis wann. Nichts geht hinaus, bevor du es erlaubst.',
  },
  waiting: 'Warten auf dich',
  decided: 'Entschieden',
  decidedLabel: 'Entschiedene Anfragen',
  change: 'Änderung',
  asksFor: (what: string) => `Möchte ${what}`,
  asksChange: (n: number) => `Möchte ${count(n, 'Änderung', 'Änderungen')} an dem, was es jetzt sehen kann`,
  open: 'Ansehen und entscheiden',
  columns: { who: 'Wer', what: 'Was', decision: 'Entscheidung', when: 'Gefragt' },
  more: (n: number) => `${number(n)} weitere zeigen`,
  states: {
    pending: 'Wartet',
    enabled: 'Erlaubt',
    disabled: 'Erlaubt, dann beendet',
    ended: 'Erlaubt, von selbst beendet',
    rejected: 'Abgelehnt',
    removed: 'Entfernt',
  },
  home: (name: string) => `${name} möchte deine Entscheidung`,
  homeText: (what: string) => `Gewünscht: ${what}.`,
  homeChange: (name: string) => `${name} möchte ändern, was es sehen kann`,
  homeNames: (names: readonly string[]) =>
    `${list(names.length > 3 ? [...names.slice(0, 3), `${number(names.length - 3)} weitere`] : names)}.`,
  homeMany: (n: number) =>
    n === 1 ? 'Eine Anfrage wartet auf deine Entscheidung' : `${number(n)} Anfragen warten auf deine Entscheidung`,

  page: {
    title: (name: string, what: string) => `${name} möchte ${what}`,
    changeTitle: (name: string) => `${name} möchte ändern, was es sehen kann`,
    notFound: 'Diese Anfrage ist nicht mehr hier',
    notFoundText: 'Sie wurde zurückgenommen, oder die Adresse ist unvollständig.',
    back: 'Alle Anfragen',
    opens: 'öffnet in einem neuen Fenster',
    received: 'gefragt',
    from: {
      owner: 'mit deiner eigenen Anmeldung eingetragen',
      application: (name: string) => `gesendet von der Anwendung ${name}, hier angemeldet`,
      offer: (name: string) => `gesendet für ${name}, an dessen Angebot du teilnimmst`,
    },
    requesterText: 'Name, Bild und Zweck sind eigene Worte. Was hinausgeht, prüft dein PDA.',
    purpose: 'Wofür',
    when: 'Wann',
    atMost: 'Höchstens',
    notified: 'Wer davon erfährt',
    notifiedText: (host: string) =>
      `${host} erfährt, was du entscheidest, wann es endet und dass es neue Daten gibt; nie die Daten selbst.`,
    terms: 'Bedingungen',
    termsLink: (host: string) => `Bedingungen von ${host}`,
    conditions: 'Nur solange',
    conditionsText: (endpoints: readonly string[]) =>
      `es passende Datensätze in ${list(endpoints)} gibt. Sonst geht nichts hinaus. Diese Datensätze selbst gehen nicht hinaus.`,
    filteredEndpoint: (endpoint: string, filters: string) =>
      `${endpoint} (${filters.slice(0, 1).toLowerCase()}${filters.slice(1)})`,
    howLong: 'Wie lange',
    asRequested: (until: string) => `Wie gewünscht: ${until}`,
    endsOn: (until: string, span: string) => `${until} (${span}), dann endet es`,
    customDay: 'Bis zu einem Tag, den ich wähle',
    customDayLabel: 'Letzter Tag',
    customDayInvalid: 'Ein Tag ab heute, innerhalb dessen, was gewünscht ist',
    atMostText: (what: string, until: string) => `${what}, ${until}.`,
    atMostNothing: 'Nichts. Du hast alles weggelassen.',
  },
  changed: {
    title: 'Diese Anfrage hat sich geändert, während du gelesen hast',
    text: 'Nichts wurde erlaubt. Du siehst jetzt die neue Anfrage.',
  },
  changes: {
    title: 'Was sich ändern würde',
    running: (until: string) => `Bis du entscheidest, läuft weiter, was du vorher erlaubt hast, ${until}.`,
    kinds: { more: 'Mehr', less: 'Weniger', other: 'Anders' },
    same: 'Nichts: Dasselbe wird noch einmal gewünscht, für einen neuen Zeitraum.',
  },
  differences: {
    entireAdded: (label: string, endpoint: string) =>
      `Ganze Datensätze von ${label} (${endpoint}): jedes Feld, auch Felder, die später kommen`,
    fieldsAdded: (names: readonly string[], label: string, endpoint: string) =>
      `${list(names)} von ${label} (${endpoint})`,
    nowEntire: (label: string, before: number) =>
      `Ganze Datensätze von ${label}, jedes Feld und auch spätere, statt bisher ${fields(before)}`,
    onlyFields: (names: readonly string[], label: string) =>
      `Nur ${list(names)} von ${label}, keine ganzen Datensätze mehr`,
    fieldsGone: (names: readonly string[], label: string) => `Nicht mehr ${list(names)} von ${label}`,
    entryGone: (label: string) => `Nichts mehr von ${label}`,
    filters: (label: string, before: string | undefined, after: string | undefined) =>
      after === undefined
        ? `Jeder Datensatz von ${label}. Vorher: ${before ?? ''}`
        : `${label}: ${after}. Vorher: ${before ?? 'jeder Datensatz'}`,
    amount: (label: string, before: string, after: string) => `${label}: ${after}. Vorher: ${before}`,
    nowEnds: 'Es endet von selbst mit seinem Zeitraum. Vorher verlängerte es sich, bis du es beendest',
    nowRenews: 'Es verlängert sich, bis du es beendest. Vorher endete es von selbst mit seinem Zeitraum',
    period: (before: string, after: string) => `Ein Zeitraum ist ${after} lang. Vorher: ${before}`,
    noConditions: 'Ohne die Bedingung, die es vorher hatte',
    conditions: (endpoints: readonly string[]) =>
      `Eine andere Bedingung: nur solange es passende Datensätze in ${list(endpoints)} gibt`,
    purpose: (before: string) => `Der Zweck ist anders gesagt. Vorher: „${before}“`,
    terms: 'Die Bedingungen stehen unter einer anderen Adresse',
    name: (before: string, after: string) => `Nennt sich ${after}. Vorher: ${before}`,
    site: (before: string, after: string) => `Die Website ist ${after}. Vorher: ${before}`,
  },
  scope: {
    title: 'Was hinausginge',
    titleRunning: 'Was es sehen kann',
    selectedCount: (on: number, all: number) => `${number(on)} von ${count(all, 'Feld', 'Feldern')}`,
    entireTitle: 'Ganze Datensätze',
    entire: (n: number) => `Jedes Feld (jetzt ${number(n)}), auch Felder, die später kommen.`,
    entireAll: 'Jedes Feld, auch Felder, die später kommen.',
    entireUnseen: 'Jedes Feld, auch Felder, die später kommen. Noch gibt es keine Datensätze, die sie zeigen.',
    entireNarrowed: (n: number) =>
      n === 1
        ? 'Nur das eine eingeschaltete Feld. Felder, die später kommen, bleiben privat.'
        : `Nur die ${number(n)} eingeschalteten Felder. Felder, die später kommen, bleiben privat.`,
    later: 'Felder, die später kommen',
    laterText: 'was sonst noch zu diesen Datensätzen hinzukommt',
    everythingIn: 'mit allem darin',
    sentAs: (name: string) => `gesendet als ${name}`,
    all: (label: string) => `Alles von ${label}`,
    off: 'Von dir weggelassen.',
    onlyEntire: 'kann nur mit ganzen Datensätzen hinausgehen',
    fieldOf: (field: string, label: string) => `${field} von ${label}`,
    together: 'Zusammen',
  },
  sharedNow: {
    title: 'Wie es jetzt hinausginge',
    titleRunning: 'Was jetzt hinausgeht',
    view: 'Ansicht',
    read: 'Lesen',
    json: 'JSON',
    count: (sharedCount: number) =>
      sharedCount === 1 ? `${records(sharedCount)} ginge jetzt hinaus` : `${records(sharedCount)} gingen jetzt hinaus`,
    countOf: (sharedCount: number, matching: number) =>
      `${number(sharedCount)} von ${number(matching)} passenden Datensätzen ${sharedCount === 1 ? 'ginge' : 'gingen'} jetzt hinaus`,
    countRunning: (sharedCount: number) => `jetzt ${records(sharedCount)}`,
    countOfRunning: (sharedCount: number, matching: number) =>
      `${number(sharedCount)} von ${number(matching)} passenden Datensätzen`,
    none: 'Jetzt ginge kein Datensatz hinaus',
    noneText: 'Es gibt keinen, der passt. Was später geschrieben wird, ginge hinaus.',
    noneHeld: 'Du hast keine solchen Datensätze. Was später dort geschrieben wird, ginge hinaus.',
    off: 'Das hast du weggelassen.',
    nothingShared: 'Nichts. Du hast alles weggelassen.',
    all: (n: number) => `Alle ${number(n)} ansehen`,
    allTitle: (name: string) => `${name}: jeder Datensatz, der jetzt hinausginge`,
    range: (from: number, to: number, total: number) => `${number(from)}–${number(to)} von ${number(total)}`,
    previous: 'Vorige Datensätze',
    next: 'Nächste Datensätze',
    size: (size: string) => `${size} auf dieser Seite`,
    nothing: 'ein leerer Datensatz',
    unmet:
      'Die Bedingung ist nicht erfüllt, deshalb würde jetzt nichts freigegeben. Wäre sie erfüllt, würden diese Datensätze freigegeben.',
  },
  withheld: {
    title: 'Was privat bleibt',
    text: 'Nicht gewünscht oder von dir weggelassen. Es lässt sich hierdurch nicht lesen.',
    leftOut: 'Von dir weggelassen',
    fieldsOf: (label: string) => `Andere Felder von ${label}`,
    recordsOf: (label: string) => `Andere Datensätze von ${label}`,
    records: (n: number) =>
      n === 1
        ? `${records(n)}, der nicht passt oder jenseits der Grenze liegt`
        : `${records(n)}, die nicht passen oder jenseits der Grenze liegen`,
    everythingElse: 'Alles andere',
    endpoints: (n: number, recordCount: number) =>
      `${count(n, 'weiterer Endpunkt', 'weitere Endpunkte')} mit ${count(recordCount, 'Datensatz', 'Datensätzen')}`,
    nothingElse: 'Sonst ist in deinem PDA nichts.',
    andMore: (n: number) => `und ${number(n)} weitere`,
    showAll: (n: number) => `Alle ${number(n)} zeigen`,
    everything: (label: string) => `Alles von ${label}`,
  },
  decide: {
    label: 'Deine Entscheidung',
    allow: (what: string, until: string) => `${what.slice(0, 1).toUpperCase()}${what.slice(1)} erlauben, ${until}`,
    fields: (n: number) => fields(n),
    nothing: 'Es ist nichts mehr zu erlauben',
    notNow: 'Jetzt nicht',
    decline: 'Ablehnen',
    noEnter: 'Enter erlaubt nichts. Drücke die Leertaste, oder klicke.',
    reviewFirst: 'Sieh dir erst die neue Anfrage an.',
    expired: 'Die Zeit ist vorbei: Es gibt nichts zu erlauben.',
    declineTitle: (name: string) => `Anfrage von ${name} ablehnen`,
    declineText: (name: string) =>
      `Für ${name} wird nichts freigegeben, und das erfährt die andere Seite. Sie kann wieder fragen, mit einer neuen Anfrage.`,
    declineChangeText: (name: string) =>
      `Die Änderung wird abgelehnt, und ${name} erfährt es. Was du vorher erlaubt hast, läuft weiter, wie es ist.`,
    declineSubmit: 'Diese Anfrage ablehnen',
    declineChangeSubmit: 'Diese Änderung ablehnen',
    keep: 'Zurück',
    allowed: (name: string) => `${name} kann sehen, was du erlaubt hast`,
    allowedText: (what: string, until: string) => `${what}, ${until}.`,
    allowedLater: (name: string, from: string) => `${name} kann sehen, was du erlaubt hast. ${from}`,
    declined: (name: string) => `Die Anfrage von ${name} ist abgelehnt`,
    declinedText: 'Nichts ist dafür freigegeben.',
    declinedChangeText: 'Was du vorher erlaubt hast, läuft weiter, wie es ist.',
  },
  technical: {
    title: 'Für Entwickler',
    key: 'Schlüssel der Datenfreigabe (Data Debit)',
    bundle: 'Datenbündel (Data Bundle)',
    application: 'Anwendungs-Id',
    permission: 'Erlaubnis',
    json: 'Der Vorschlag als JSON',
    show: 'Den Vorschlag als JSON zeigen',
    hide: 'Das JSON verbergen',
    copy: 'Kopieren',
  },
} satisfies Localised<typeof en>;
