import { count, number } from '../../format/format.ts';
import type { consent as en } from '../en/consent.ts';
import type { Localised } from '../localised.ts';

const records = (n: number) => count(n, 'Datensatz', 'Datensätze');
const fields = (n: number) => count(n, 'Feld', 'Felder');

/** "a, b und c" */
export const list = (parts: readonly string[], word = 'und'): string =>
  parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} ${word} ${parts.at(-1) ?? ''}`;

/** Permissions in requests, consents, applications and their sign-in. */
export const consent = {
  list,
  either: (parts: readonly string[]) => list(parts, 'oder'),
  fields,
  fieldsOf: (n: number, endpoints: string) => `${fields(n)} von ${endpoints}`,
  entireOf: (endpoints: string) => `ganze Datensätze von ${endpoints}`,
  entireAndFields: (entire: string, mapped: string) => `${entire} und ${mapped}`,
  more: (n: number) => `${number(n)} weiteren`,
  nothing: 'nichts',
  value: 'Der ganze Wert',
  each: (label: string, inner: readonly string[]) => `${label}, je mit ${list(inner)}`,
  member: (label: string, inner: readonly string[]) => `${label} (${list(inner)})`,
  inside: (label: string, inner: readonly string[]) => `${label}: ${list(inner)}`,
  filter: {
    only: (what: string) => `Nur Datensätze, für die gilt: ${what}`,
    and: ', und ',
    is: (field: string, value: string) => `${field} ist ${value}`,
    isOneOf: (field: string, values: string) => `${field} ist ${values}`,
    isWithin: (field: string, value: string) => `${field} enthält nur ${value}`,
    isOrContains: (field: string, value: string) => `${field} ist ${value} oder eine Liste mit diesem Wert`,
    containsAll: (field: string, values: string) => `${field} enthält alle diese Werte: ${values}`,
    contains: (field: string, value: string) => `${field} enthält ${value}`,
    between: (field: string, lower: string, upper: string) =>
      `${field} liegt zwischen ${lower} und ${upper} (beide ausgeschlossen)`,
    betweenTexts: (field: string, lower: string, upper: string) =>
      `${field} kommt in der Zeichenreihenfolge zwischen ${lower} und ${upper} (beide ausgeschlossen)`,
    find: (field: string, search: string) => `${field} enthält alle Wörter von ${search}`,
    never: 'nie: kein Wert liegt zwischen diesen Grenzen',
    neverAll: 'Diese Bedingung ist nie erfüllt: Nichts wird freigegeben',
    quoted: (text: string) => `„${text}“`,
    empty: 'leer',
    yes: 'ja',
    no: 'nein',
  },
  part: {
    of: (part: string, field: string) => `${part} von ${field}`,
    timeOfDay: (field: string, from: string, to: string) =>
      `die Uhrzeit von ${field} liegt im Bereich ${from} bis ${to} UTC`,
    hourIsOneOf: (field: string, times: string) => `die Uhrzeit von ${field} liegt im Bereich ${times} UTC`,
    hourRange: (from: string, to: string) => `${from} bis ${to}`,
    weekday: (field: string, days: string) => `${field} fällt auf einen ${days} (UTC)`,
    month: (field: string, months: string) => `${field} liegt im ${months} (UTC)`,
    betweenTimes: (field: string, lower: string, upper: string) => `${field} liegt nach ${lower} und vor ${upper}`,
    range: (part: string, field: string, from: string, to: string) =>
      `${part} von ${field} ist ${from === to ? from : `${from} bis ${to}`} (UTC)`,
    oneOf: (part: string, field: string, values: string) => `${part} von ${field} ist ${values} (UTC)`,
    names: {
      century: 'Jahrhundert',
      day: 'Tag des Monats',
      decade: 'Jahrzehnt',
      dow: 'Wochentag',
      doy: 'Tag des Jahres',
      epoch: 'Unix-Zeit',
      hour: 'Stunde',
      isodow: 'Wochentag',
      isoyear: 'Jahr der Kalenderwoche',
      microseconds: 'Zahl der Mikrosekunden',
      millennium: 'Jahrtausend',
      milliseconds: 'Zahl der Millisekunden',
      minute: 'Minute',
      month: 'Monat',
      quarter: 'Quartal',
      second: 'Sekunde',
      timezone: 'Abstand der Zeitzone in Sekunden',
      timezone_hour: 'Stundenteil des Zeitzonenabstands',
      timezone_minute: 'Minutenteil des Zeitzonenabstands',
      week: 'Kalenderwoche',
      year: 'Jahr',
    },
    weekdays: ['Sonntag', 'Montag', 'Dienstag', 'Mittwoch', 'Donnerstag', 'Freitag', 'Samstag'],
    months: [
      'Januar',
      'Februar',
      'März',
      'April',
      'Mai',
      'Juni',
      'Juli',
      'August',
      'September',
      'Oktober',
      'November',
      'Dezember',
    ],
  },
  amount: {
    all: 'Alle Datensätze, auch künftige',
    allThatFit: 'Alle passenden Datensätze, auch künftige',
    none: 'Keine Datensätze: Die Grenze ist 0',
    newest: (n: number) => (n === 1 ? 'Nur der jeweils neueste Datensatz' : `Nur die jeweils neuesten ${records(n)}`),
    oldest: (n: number) =>
      n === 1
        ? 'Nur der jeweils älteste Datensatz'
        : `Nur die ältesten ${records(n)}; neue kommen nur dazu, bis diese Zahl erreicht ist`,
    last: (n: number, field: string) =>
      n === 1
        ? `Nur der jeweils letzte Datensatz in der Reihenfolge von ${field}`
        : `Nur die jeweils letzten ${records(n)} in der Reihenfolge von ${field}`,
    first: (n: number, field: string) =>
      n === 1
        ? `Nur der jeweils erste Datensatz in der Reihenfolge von ${field}`
        : `Nur die jeweils ersten ${records(n)} in der Reihenfolge von ${field}`,
  },
  span: {
    day: (n: number) => count(n, 'Tag', 'Tage'),
    hour: (n: number) => count(n, 'Stunde', 'Stunden'),
    minute: (n: number) => count(n, 'Minute', 'Minuten'),
    second: (n: number) => count(n, 'Sekunde', 'Sekunden'),
  },
  /** By how long a permission is extended at each renewal. */
  interval: {
    day: 'um jeweils einen Tag',
    hour: 'um jeweils eine Stunde',
    minute: 'um jeweils eine Minute',
    second: 'um jeweils eine Sekunde',
    other: (span: string) => `um jeweils ${span}`,
  },
  time: {
    immediately: 'Sobald du es erlaubst.',
    from: (day: string) => `Ab ${day}.`,
    ends: (day: string) => `Bis ${day}. Dann endet die Freigabe automatisch.`,
    renews: (day: string, interval: string) =>
      `Bis ${day}. Dann verlängert sich die Freigabe ${interval}, bis du sie beendest.`,
    ended: (day: string) => `Abgelaufen: ${day}. Auch wenn du zustimmst, wird nichts freigegeben.`,
    until: (day: string) => `bis ${day}`,
    untilCapitalised: (day: string) => `Bis ${day}`,
    untilStopped: 'bis du die Freigabe beendest',
  },
  worstCase: {
    entire: (endpoints: string) => `Ganze Datensätze von ${endpoints}: jedes Feld, auch später hinzugefügte`,
  },
} satisfies Localised<typeof en>;
