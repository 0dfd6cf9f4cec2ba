import { findIana } from 'windows-iana';
import { isoOf } from './entries.ts';

/** Local times of calendars, turned into instants. Node knows the zones of the world by their IANA names; what calendars call them is another matter. */

export type LocalTime = { year: number; month: number; day: number; hour: number; minute: number; second: number };

const MAX_ZONES = 200;
/** Parts of the longest names: "America/Argentina/Buenos_Aires". To try a name that is none costs time. */
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

/** The IANA name of a calendar's zone: a Windows name (CLDR's table), an IANA name, or an IANA name behind the prefix of a program. */
export const zoneNamed = (name: string): string | undefined => {
  const [windowsZone] = findIana(name);
  if (windowsZone !== undefined) return windowsZone;
  if (name.length > 100 || !/^[\w/ +.()-]+$/u.test(name)) return undefined;
  const segments = name.split('/').filter((part) => part !== '');
  for (let from = Math.max(0, segments.length - MAX_SEGMENTS); from < segments.length; from += 1) {
    const candidate = segments.slice(from).join('/');
    // "EST" and the like are names, too; a bare offset is not meant by any calendar.
    if (/^[A-Za-z]/u.test(candidate) && formatOf(candidate) !== undefined) return candidate;
  }
  return undefined;
};

const wallOf = (format: Intl.DateTimeFormat, ms: number): number => {
  const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]));
  const number = (name: string): number => Number(parts[name]);
  const year = parts['era'] === 'BC' ? 1 - number('year') : number('year');
  return utcOf({
    year,
    month: number('month'),
    day: number('day'),
    hour: number('hour'),
    minute: number('minute'),
    second: number('second'),
  });
};

/** Unix milliseconds of a local time taken for UTC. */
export const utcOf = ({ year, month, day, hour, minute, second }: LocalTime): number =>
  new Date(0).setUTCFullYear(year, month - 1, day) + ((hour * 60 + minute) * 60 + second) * 1000;

/** Unix milliseconds; of a time that was skipped or comes twice, the one with the offset from before. */
export const instantIn = (zone: string, local: LocalTime): number | undefined => {
  const format = formatOf(zone);
  const wall = utcOf(local);
  if (format === undefined || !Number.isFinite(wall) || Math.abs(wall) > 8.6e15) return undefined;
  const before = wallOf(format, wall - 86_400_000) - (wall - 86_400_000);
  const after = wallOf(format, wall + 86_400_000) - (wall + 86_400_000);
  for (const offset of [before, after]) if (wallOf(format, wall - offset) === wall) return wall - offset;
  return wall - before;
};

/** A local time without a zone, as ISO 8601 writes it. */
export const localIso = (local: LocalTime): string | undefined => isoOf(utcOf(local))?.replace(/Z$/u, '');
