import { calendarDay, count, number } from '../../../shared/format/format.ts';
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
        ? 'Eine Anfrage wartet auf deine Entscheidung. Nichts wird freigegeben, bevor du es erlaubst.'
        : `${number(n)} Anfragen warten auf deine Entscheidung. Nichts wird freigegeben, bevor du es erlaubst.`,
  badge: (n: number) => (n === 1 ? '1 wartet' : `${number(n)} warten`),
  empty: {
    title: 'Keine Anfragen',
    text: 'Hier erscheinen Anfragen nach deinen Daten: wer fragt, was genau freigegeben würde und bis wann. Nichts wird freigegeben, bevor du es erlaubst.',
  },
  waiting: 'Warten auf dich',
  decided: 'Entschieden',
  decidedLabel: 'Entschiedene Anfragen',
  change: 'Änderung',
  asksFor: (what: string) => `Bittet um ${what}`,
  asksChange: (n: number) =>
    n === 0
      ? 'Bittet noch einmal um dieselben Daten'
      : `Bittet um ${count(n, 'Änderung', 'Änderungen')} an der jetzigen Freigabe`,
  columns: { who: 'Wer', what: 'Was', decision: 'Entscheidung', when: 'Angefragt' },
  states: {
    pending: 'Wartet',
    enabled: 'Erlaubt',
    disabled: 'Erlaubt, dann beendet',
    ended: 'Erlaubt, abgelaufen',
    rejected: 'Abgelehnt',
    removed: 'Entfernt',
  },
  home: (name: string) => `${name} wartet auf deine Entscheidung`,
  homeText: (what: string) => `Angefragt: ${what}.`,
  homeChange: (name: string) => `${name} bittet um eine Änderung der Freigabe`,
  homeNames: (names: readonly string[]) =>
    `${list(names.length > 3 ? [...names.slice(0, 3), `${number(names.length - 3)} weitere`] : names)}.`,
  homeMany: (n: number) =>
    n === 1 ? 'Eine Anfrage wartet auf deine Entscheidung' : `${number(n)} Anfragen warten auf deine Entscheidung`,

  page: {
    title: (name: string, what: string) => `${name} bittet um ${what}`,
    changeTitle: (name: string) => `${name} bittet um eine Änderung der Freigabe`,
    notFound: 'Anfrage nicht gefunden',
    notFoundShort: 'Keine Anfrage unter dieser Adresse',
    notFoundText: 'Sie wurde zurückgezogen, oder die Adresse ist unvollständig.',
    back: 'Alle Anfragen',
    opensInNewWindow: 'öffnet sich in einem neuen Fenster',
    received: 'angefragt',
    from: {
      owner: 'mit deiner eigenen Anmeldung eingetragen',
      application: (name: string) => `gesendet von der Anwendung ${name}, hier angemeldet`,
      offer: (name: string) => `gesendet für ein Angebot von ${name}, an dem du teilnimmst`,
    },
    requesterText: 'Name, Bild und Zweck stammen vom Anfragenden. Was freigegeben wird, kontrolliert dein PDA.',
    purpose: 'Zweck',
    when: 'Wann',
    atMost: 'Höchstens',
    notified: 'Wird benachrichtigt',
    notifiedText: (host: string) =>
      `${host} wird über deine Entscheidung, das Ende und neue Daten benachrichtigt, bekommt auf diesem Weg aber nie die Daten selbst.`,
    terms: 'Nutzungsbedingungen',
    termsLink: (host: string) => `Nutzungsbedingungen von ${host}`,
    conditions: 'Nur solange',
    conditionsText: (endpoints: readonly string[]) =>
      `es passende Datensätze in ${list(endpoints)} gibt. Sonst wird nichts freigegeben. Diese Datensätze selbst werden nicht freigegeben.`,
    filteredEndpoint: (endpoint: string, filters: string) =>
      `${endpoint} (${filters.slice(0, 1).toLowerCase()}${filters.slice(1)})`,
    howLong: 'Wie lange',
    asRequested: (until: string) => `Wie angefragt: ${until}`,
    endsOn: (until: string, span: string) => `${until} (${span}), dann endet die Freigabe`,
    customDay: 'Bis zu einem Tag, den ich wähle',
    customDayLabel: 'Letzter Tag',
    customDayInvalid: (first: string, last: string | undefined) =>
      last === undefined
        ? `Wähle den ${calendarDay(first)} oder einen späteren Tag`
        : `Wähle einen Tag vom ${calendarDay(first)} bis ${calendarDay(last)}`,
    atMostText: (what: string, until: string) => `${what}, ${until}.`,
    atMostNothing: 'Nichts. Du hast alles weggelassen.',
  },
  changed: {
    title: 'Diese Anfrage hat sich geändert, während du sie gelesen hast',
    text: 'Nichts wurde erlaubt. Die Seite zeigt jetzt die neue Anfrage.',
  },
  changes: {
    title: 'Was sich ändern würde',
    running: (until: string) => `Bis du entscheidest, gilt deine bisherige Erlaubnis (${until}) unverändert weiter.`,
    kinds: { more: 'Mehr', less: 'Weniger', other: 'Anders' },
    same: 'Nichts: Dieselben Daten werden noch einmal angefragt, für einen neuen Zeitraum.',
  },
  differences: {
    entireAdded: (label: string, endpoint: string) =>
      `Ganze Datensätze von ${label} (${endpoint}): jedes Feld, auch später hinzugefügte`,
    fieldsAdded: (names: readonly string[], label: string, endpoint: string) =>
      `${list(names)} von ${label} (${endpoint})`,
    nowEntire: (label: string, before: number) =>
      `Ganze Datensätze von ${label}, jedes Feld, auch später hinzugefügte, statt bisher ${count(before, 'Feld', 'Feldern')}`,
    onlyFields: (names: readonly string[], label: string) =>
      `Nur ${list(names)} von ${label}, keine ganzen Datensätze mehr`,
    fieldsGone: (names: readonly string[], label: string) => `Nicht mehr ${list(names)} von ${label}`,
    entryGone: (label: string) => `Keine Daten mehr von ${label}`,
    filters: (label: string, before: string | undefined, after: string | undefined) =>
      after === undefined
        ? `Jeder Datensatz von ${label}. Vorher: ${before ?? ''}`
        : `${label}: ${after}. Vorher: ${before ?? 'jeder Datensatz'}`,
    amount: (label: string, before: string, after: string) => `${label}: ${after}. Vorher: ${before}`,
    nowEnds: 'Die Freigabe würde mit ihrem Zeitraum enden. Bisher verlängert sie sich, bis du sie beendest',
    nowRenews: 'Die Freigabe würde sich verlängern, bis du sie beendest. Bisher endet sie mit ihrem Zeitraum',
    period: (before: string, after: string) => `Ein Zeitraum ist ${after} lang. Vorher: ${before}`,
    end: (before: string, after: string) => `Die Freigabe würde am ${after} enden. Vorher: ${before}`,
    noConditions: 'Die bisherige Bedingung entfällt',
    conditions: (endpoints: readonly string[]) =>
      `Neue Bedingung: nur solange es passende Datensätze in ${list(endpoints)} gibt`,
    purpose: (before: string) => `Der Zweck wurde neu formuliert. Vorher: „${before}“`,
    terms: 'Die Nutzungsbedingungen stehen unter einer anderen Adresse',
    name: (before: string, after: string) => `Nennt sich ${after}. Vorher: ${before}`,
    site: (before: string, after: string) => `Die Website ist ${after}. Vorher: ${before}`,
  },
  scope: {
    title: 'Was freigegeben würde',
    titleRunning: 'Was freigegeben ist',
    selectedCount: (on: number, all: number) => `${number(on)} von ${count(all, 'Feld', 'Feldern')}`,
    entireTitle: 'Ganze Datensätze',
    entire: (n: number) => `Jedes Feld (jetzt ${number(n)}), auch später hinzugefügte.`,
    entireAll: 'Jedes Feld, auch später hinzugefügte.',
    entireUnseen:
      'Jedes Feld, auch später hinzugefügte. Noch gibt es keine Datensätze, an denen die Felder zu sehen wären.',
    entireNarrowed: (n: number) =>
      n === 1
        ? 'Nur das eine eingeschaltete Feld. Später hinzugefügte Felder bleiben privat.'
        : `Nur die ${number(n)} eingeschalteten Felder. Später hinzugefügte Felder bleiben privat.`,
    later: 'Künftige Felder',
    laterText: 'alles, was später zu diesen Datensätzen hinzukommt',
    everythingIn: 'mit allem darin',
    sentAs: (name: string) => `gesendet als ${name}`,
    all: (label: string) => `Alles von ${label}`,
    off: 'Von dir weggelassen.',
    onlyEntire: 'kann nur mit ganzen Datensätzen freigegeben werden',
    fieldOf: (field: string, label: string) => `${field} von ${label}`,
    together: 'Zusammen',
  },
  sharedNow: {
    title: 'Vorschau der freigegebenen Daten',
    titleRunning: 'Jetzt freigegeben',
    view: 'Ansicht',
    read: 'Lesen',
    json: 'JSON',
    count: (sharedCount: number) =>
      `${records(sharedCount)} ${sharedCount === 1 ? 'würde' : 'würden'} jetzt freigegeben`,
    countOf: (sharedCount: number, matching: number) =>
      `${number(sharedCount)} von ${number(matching)} passenden Datensätzen ${sharedCount === 1 ? 'würde' : 'würden'} jetzt freigegeben`,
    countRunning: (sharedCount: number) => `jetzt ${records(sharedCount)}`,
    countOfRunning: (sharedCount: number, matching: number) =>
      `${number(sharedCount)} von ${number(matching)} passenden Datensätzen`,
    none: 'Im Moment keine Datensätze zum Freigeben',
    noneText: 'Kein Datensatz passt. Passende Datensätze, die später dazukommen, gehören dazu.',
    noneHeld: 'Du hast keine solchen Datensätze. Datensätze, die später dazukommen, gehören dazu.',
    off: 'Das hast du weggelassen.',
    all: (n: number) => `Alle ${number(n)} ansehen`,
    allTitle: (name: string) => `${name}: alle freigegebenen Datensätze`,
    range: (from: number, to: number, total: number) => `${number(from)}–${number(to)} von ${number(total)}`,
    size: (size: string) => `${size} auf dieser Seite`,
    nothing: 'ein leerer Datensatz',
    unmet:
      'Die Bedingung ist nicht erfüllt, deshalb ist jetzt nichts freigegeben. Wäre sie erfüllt, würden diese Datensätze freigegeben.',
  },
  withheld: {
    title: 'Was privat bleibt',
    text: 'Nicht angefragt oder von dir weggelassen. Diese Erlaubnis gewährt darauf keinen Zugriff.',
    leftOut: 'Von dir weggelassen',
    fieldsOf: (label: string) => `Andere Felder von ${label}`,
    recordsOf: (label: string) => `Andere Datensätze von ${label}`,
    records: (n: number) =>
      n === 1
        ? `${records(n)}, der nicht passt oder über die angefragte Anzahl hinausgeht`
        : `${records(n)}, die nicht passen oder über die angefragte Anzahl hinausgehen`,
    everythingElse: 'Alles andere',
    endpoints: (n: number, recordCount: number) =>
      `${count(n, 'weiterer Endpunkt', 'weitere Endpunkte')} mit ${count(recordCount, 'Datensatz', 'Datensätzen')}`,
    nothingElse: 'Du hast keine anderen Datensätze.',
    showAll: (n: number) => `Alle ${number(n)} zeigen`,
  },
  decide: {
    label: 'Deine Entscheidung',
    allow: (what: string, until: string) => `${what.slice(0, 1).toUpperCase()}${what.slice(1)} erlauben, ${until}`,
    fields: (n: number) => fields(n),
    nothing: 'Es gibt nichts mehr zu erlauben',
    decline: 'Ablehnen',
    enterDisabled: 'Enter bestätigt diese Entscheidung nicht. Drücke die Leertaste, oder klicke.',
    reviewFirst: 'Prüfe erst die neue Anfrage.',
    expired: 'Diese Anfrage ist abgelaufen.',
    declineTitle: (name: string) => `Anfrage von ${name} ablehnen`,
    declineText: (name: string, isNotified: boolean) =>
      `Für ${name} wird nichts freigegeben. Der Anfragende ${isNotified ? 'wird benachrichtigt und ' : ''}kann eine neue Anfrage senden.`,
    declineChangeText: (name: string, isNotified: boolean) =>
      `Die Änderung wird abgelehnt${isNotified ? `, und ${name} wird benachrichtigt` : ''}. Deine bisherige Erlaubnis gilt unverändert weiter.`,
    declineSubmit: 'Anfrage ablehnen',
    declineChangeSubmit: 'Änderung ablehnen',
    keep: 'Zurück',
    allowed: (name: string) => `${name} kann sehen, was du erlaubt hast`,
    allowedText: (what: string, until: string) => `${what}, ${until}.`,
    allowedLater: (name: string, from: string) => `${name} wird sehen können, was du erlaubt hast. ${from}`,
    declined: (name: string) => `Anfrage von ${name} abgelehnt`,
    declinedText: 'Es wird nichts freigegeben.',
    declinedChangeText: 'Deine bisherige Erlaubnis gilt unverändert weiter.',
  },
  technical: {
    title: 'Für Entwickler',
    key: 'Schlüssel der Datenfreigabe (Data Debit)',
    bundle: 'Datenbündel (Data Bundle)',
    application: 'Anwendungs-ID',
    permission: 'Erlaubnis',
    json: 'Der Vorschlag als JSON',
    show: 'Den Vorschlag als JSON zeigen',
    hide: 'JSON ausblenden',
  },
} satisfies Localised<typeof en>;
