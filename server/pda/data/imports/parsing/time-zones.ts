import { findIana } from 'windows-iana';
import { isoOf } from './entries.ts';

/** A date and time without a time zone. `month` is counted from 1. */
export type LocalTime = { year: number; month: number; day: number; hour: number; minute: number; second: number };

const MAX_CACHED_ZONES = 200;
const DAY_MS = 86_400_000;
/** Largest distance from 1970 for which offsets are computed. A Date one day further away must still be valid. */
const MAX_LOCAL_MS = 8.6e15;
const MAX_ZONE_NAME_CHARS = 100;
/** Segments of the longest zone names, such as "America/Argentina/Buenos_Aires". */
const MAX_SEGMENTS = 3;
/**
 * The IANA names with three letters. Intl also accepts abbreviations with meanings that are rarely intended, for
 * example "BST" for Bangladesh and "AST" for Alaska.
 */
const THREE_LETTER_ZONES = new Set('CET EET EST GMT HST MET MST PRC ROC ROK UCT UTC WET'.split(' '));
const formats = new Map<string, Intl.DateTimeFormat | undefined>();

const formatOf = (zone: string): Intl.DateTimeFormat | undefined => {
  if (formats.has(zone)) return formats.get(zone);
  let format: Intl.DateTimeFormat | undefined;
  try {
    const parts = {
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    } as const;
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, hourCycle: 'h23', era: 'short', ...parts });
  } catch {
    // Intl throws for an unknown zone.
    format = undefined;
  }
  if (formats.size >= MAX_CACHED_ZONES) formats.clear();
  formats.set(zone, format);
  return format;
};

/**
 * Returns the IANA name of a zone from its Windows name (CLDR table) or an IANA name that may have a program's prefix;
 * undefined if the zone is unknown.
 */
export const ianaZoneOf = (name: string): string | undefined => {
  const [zoneOfWindowsName] = findIana(name);
  if (zoneOfWindowsName !== undefined) return zoneOfWindowsName;
  if (name.length > MAX_ZONE_NAME_CHARS || !/^[\w/ +.()-]+$/u.test(name)) return undefined;
  const segments = name.split('/').filter((part) => part !== '');
  for (let from = Math.max(0, segments.length - MAX_SEGMENTS); from < segments.length; from += 1) {
    const candidate = segments.slice(from).join('/');
    // Offsets such as "+01:00" are not accepted.
    const isName =
      /^[A-Za-z]/u.test(candidate) && (candidate.length !== 3 || THREE_LETTER_ZONES.has(candidate.toUpperCase()));
    if (isName && formatOf(candidate) !== undefined) return candidate;
  }
  return undefined;
};

/** Returns the local time of an instant as the milliseconds of the same time in UTC. */
const localMsOf = (format: Intl.DateTimeFormat, ms: number): number => {
  const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]));
  const numberOf = (name: string): number => Number(parts[name]);
  const year = parts['era'] === 'BC' ? 1 - numberOf('year') : numberOf('year');
  return utcMsOf({
    year,
    month: numberOf('month'),
    day: numberOf('day'),
    hour: numberOf('hour'),
    minute: numberOf('minute'),
    second: numberOf('second'),
  });
};

/** Returns a local time as the Unix milliseconds of the same time in UTC. */
export const utcMsOf = ({ year, month, day, hour, minute, second }: LocalTime): number =>
  new Date(0).setUTCFullYear(year, month - 1, day) + ((hour * 60 + minute) * 60 + second) * 1000;

/**
 * Returns the Unix milliseconds of a local time; undefined if the zone is unknown or the time is out of range. If a
 * clock change makes the local time ambiguous or skips it, the offset before the change applies.
 */
export const instantIn = (zone: string, local: LocalTime): number | undefined => {
  const format = formatOf(zone);
  const localMs = utcMsOf(local);
  if (format === undefined || !Number.isFinite(localMs) || Math.abs(localMs) > MAX_LOCAL_MS) return undefined;
  const offsetBefore = localMsOf(format, localMs - DAY_MS) - (localMs - DAY_MS);
  const offsetAfter = localMsOf(format, localMs + DAY_MS) - (localMs + DAY_MS);
  for (const offset of [offsetBefore, offsetAfter])
    if (localMsOf(format, localMs - offset) === localMs) return localMs - offset;
  return localMs - offsetBefore;
};

/** Formats a local time as ISO 8601 without a time zone; undefined if it is out of range. */
export const localIso = (local: LocalTime): string | undefined => isoOf(utcMsOf(local))?.replace(/Z$/u, '');
