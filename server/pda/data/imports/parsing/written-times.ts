import { instantIn, utcMsOf, type LocalTime } from './time-zones.ts';

/** Prefixes of month names, from January to December, in several languages. */
const MONTH_PATTERNS: readonly RegExp[] = [
  /^(?:jan|ene|gen|janv)/u,
  /^(?:feb|fév|fev)/u,
  /^(?:mar|mär|mrz|maa|mrt)/u,
  /^(?:apr|avr|abr)/u,
  /^(?:may|mai|mei|mag)/u,
  /^(?:jun|juin|giu)/u,
  /^(?:jul|juil|lug)/u,
  /^(?:aug|aoû|aou|ago)/u,
  /^(?:sep|set)/u,
  /^(?:oct|okt|ott|out)/u,
  /^nov/u,
  /^(?:dec|dez|déc|dic)/u,
];

/** UTC offsets in hours by time zone abbreviation. */
const OFFSET_HOURS: Readonly<Record<string, number>> = {
  UTC: 0, GMT: 0, Z: 0, WET: 0, BST: 1, WEST: 1, CET: 1, MEZ: 1, CEST: 2, MESZ: 2, EET: 2, OEZ: 2, EEST: 3, OESZ: 3, MSK: 3,
  EST: -5, EDT: -4, CST: -6, CDT: -5, MST: -7, MDT: -6, PST: -8, PDT: -7, AKST: -9, AKDT: -8, HST: -10, JST: 9, KST: 9, IST: 5.5,
  AEST: 10, AEDT: 11, NZST: 12, NZDT: 13,
}; // prettier-ignore

const monthOf = (word: string): number | undefined => {
  const lowerCaseWord = word.toLowerCase();
  const index = MONTH_PATTERNS.findIndex((month) => month.test(lowerCaseWord));
  return index === -1 ? undefined : index + 1;
};

const MAX_TIME_CHARS = 200;

type CalendarDay = { year: number; month: number; day: number };

const parseDay = (text: string): { day: CalendarDay; remainder: string } | undefined => {
  const isoMatch = /(?<year>\d{4})-(?<month>\d{1,2})-(?<day>\d{1,2})/u.exec(text);
  const dottedMatch = /(?<day>\d{1,2})\.\s?(?<month>\d{1,2})\.\s?(?<year>\d{4})/u.exec(text);
  const monthFirstMatch = /(?<name>\p{L}{3,12})\.?\s+(?<day>\d{1,2}),?\s+(?<year>\d{4})/u.exec(text);
  const dayFirstMatch = /(?<day>\d{1,2})\.?\s+(?:de\s+)?(?<name>\p{L}{3,12})\.?\s+(?:de\s+)?(?<year>\d{4})/u.exec(text);
  for (const match of [isoMatch, dottedMatch, monthFirstMatch, dayFirstMatch]) {
    const groups = match?.groups;
    if (match === null || groups === undefined) continue;
    const month = groups['month'] === undefined ? monthOf(groups['name'] ?? '') : Number(groups['month']);
    if (month === undefined) continue;
    const day = { year: Number(groups['year']), month, day: Number(groups['day']) };
    if (day.month < 1 || day.month > 12 || day.day < 1 || day.day > 31) continue;
    return { day, remainder: text.slice(match.index + match[0].length) };
  }
  return undefined;
};

/**
 * Parses times such as "Mar 3, 2024, 10:15:20 AM CET" and "03.03.2024, 10:15:20 MEZ". Returns Unix milliseconds;
 * undefined if the string is not a time, or if its zone is missing or unknown.
 */
export const parseWrittenTime = (writtenTime: string): number | undefined => {
  const text = writtenTime.replaceAll(/\s+/gu, ' ').slice(0, MAX_TIME_CHARS);
  const date = parseDay(text);
  const time =
    date === undefined
      ? null
      : /(?<hour>\d{1,2})[:.](?<minute>\d{2})(?:[:.](?<second>\d{2}))?\s*(?<meridiem>[AaPp]\.?\s?[Mm]\.?)?\s*(?<zone>\S+)?/u.exec(
          date.remainder,
        );
  const groups = time?.groups;
  if (date === undefined || groups === undefined) return undefined;
  const meridiem = (groups['meridiem'] ?? '').toLowerCase();
  const hour =
    meridiem === '' ? Number(groups['hour']) : (Number(groups['hour']) % 12) + (meridiem.startsWith('p') ? 12 : 0);
  const local: LocalTime = {
    ...date.day,
    hour,
    minute: Number(groups['minute']),
    second: Number(groups['second'] ?? 0),
  };
  if (local.hour > 23 || local.minute > 59 || local.second > 60) return undefined;
  const zone = (groups['zone'] ?? '').replace(/[,;]$/u, '');
  const offset = /^(?:GMT|UTC)?(?<sign>[+\-−])(?<hours>\d{1,2})(?::?(?<minutes>\d{2}))?$/u.exec(zone)?.groups;
  if (offset !== undefined) {
    const minutes = Number(offset['hours']) * 60 + Number(offset['minutes'] ?? 0);
    return utcMsOf(local) - (offset['sign'] === '+' ? minutes : -minutes) * 60_000;
  }
  const hours = OFFSET_HOURS[zone.toUpperCase()];
  if (hours !== undefined) return utcMsOf(local) - hours * 3_600_000;
  return zone.includes('/') ? instantIn(zone, local) : undefined;
};
