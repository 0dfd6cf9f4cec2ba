import { findIana } from 'windows-iana';
import { isoOf } from './entries.ts';

/** Converts local times of calendars into instants. Node knows time zones by IANA names; calendars often use other names. */

export type LocalTime = { year: number; month: number; day: number; hour: number; minute: number; second: number };

const MAX_ZONES = 200;
/** Segments of the longest names, such as "America/Argentina/Buenos_Aires". Trying an invalid name costs time. */
const MAX_SEGMENTS = 3;
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
    // Unknown zone; the caller reports it.
    format = undefined;
  }
  if (formats.size > MAX_ZONES) formats.clear();
  formats.set(zone, format);
  return format;
};

/** Returns the IANA name of a calendar's zone, given a Windows name (CLDR table) or an IANA name, maybe with a program's prefix. */
export const ianaZoneOf = (name: string): string | undefined => {
  const [windowsZone] = findIana(name);
  if (windowsZone !== undefined) return windowsZone;
  if (name.length > 100 || !/^[\w/ +.()-]+$/u.test(name)) return undefined;
  const segments = name.split('/').filter((part) => part !== '');
  for (let from = Math.max(0, segments.length - MAX_SEGMENTS); from < segments.length; from += 1) {
    const candidate = segments.slice(from).join('/');
    // Abbreviations such as "EST" are valid names. Bare offsets are not used by calendars.
    if (/^[A-Za-z]/u.test(candidate) && formatOf(candidate) !== undefined) return candidate;
  }
  return undefined;
};

/** Returns the local time of an instant as if it were UTC. */
const wallTimeOf = (format: Intl.DateTimeFormat, ms: number): number => {
  const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]));
  const number = (name: string): number => Number(parts[name]);
  const year = parts['era'] === 'BC' ? 1 - number('year') : number('year');
  return utcMsOf({
    year,
    month: number('month'),
    day: number('day'),
    hour: number('hour'),
    minute: number('minute'),
    second: number('second'),
  });
};

/** Returns the Unix milliseconds of a local time that is interpreted as UTC. */
export const utcMsOf = ({ year, month, day, hour, minute, second }: LocalTime): number =>
  new Date(0).setUTCFullYear(year, month - 1, day) + ((hour * 60 + minute) * 60 + second) * 1000;

/** Returns Unix milliseconds. For a time that is skipped or ambiguous at a clock change, the earlier offset applies. */
export const instantIn = (zone: string, local: LocalTime): number | undefined => {
  const format = formatOf(zone);
  const wall = utcMsOf(local);
  if (format === undefined || !Number.isFinite(wall) || Math.abs(wall) > 8.6e15) return undefined;
  const before = wallTimeOf(format, wall - 86_400_000) - (wall - 86_400_000);
  const after = wallTimeOf(format, wall + 86_400_000) - (wall + 86_400_000);
  for (const offset of [before, after]) if (wallTimeOf(format, wall - offset) === wall) return wall - offset;
  return wall - before;
};

/** Formats a local time without a zone as ISO 8601. */
export const localIso = (local: LocalTime): string | undefined => isoOf(utcMsOf(local))?.replace(/Z$/u, '');
