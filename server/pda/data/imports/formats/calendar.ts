import { changeOf, instantFor, offsetMsOf, type CalendarZone } from './calendar-time-zones.ts';
import {
  createContentLines,
  createEntryLines,
  splitEscaped,
  plainText,
  type ContentLine,
  type EntryLines,
} from '../parsing/content-lines.ts';
import {
  isoOf,
  orNothing,
  readEntry,
  someOf,
  type EntrySink,
  type ParsedJson,
  type ParsedObject,
  type Reader,
} from '../parsing/entries.ts';
import { localIso, type LocalTime } from '../parsing/time-zones.ts';

/** Properties of one component. */
const MAX_LINES = 20_000;
const MAX_DEPTH = 8;
/** Changes of one zone: each costs time at each date. */
const MAX_ZONE_CHANGES = 100;

type Component = { name: string; line: number; lines: EntryLines; zone: CalendarZone | undefined };

const DATE =
  /^(?<year>\d{4})-?(?<month>\d{2})-?(?<day>\d{2})(?:T(?<hour>\d{2}):?(?<minute>\d{2}):?(?<second>\d{2})?(?<utc>Z)?)?$/u;

const localOf = (value: string): { local: LocalTime; kind: 'date' | 'local' | 'utc' } | undefined => {
  const found = DATE.exec(value.trim())?.groups;
  if (found === undefined) return undefined;
  const number = (name: string): number => Number(found[name] ?? 0);
  const local = {
    year: number('year'),
    month: number('month'),
    day: number('day'),
    hour: number('hour'),
    minute: number('minute'),
    second: number('second'),
  };
  if (local.month < 1 || local.month > 12 || local.day < 1 || local.day > 31 || local.hour > 24) return undefined;
  return { local, kind: found['hour'] === undefined ? 'date' : found['utc'] === undefined ? 'local' : 'utc' };
};

/** Calendars (RFC 5545), one entry for each event and each task. Rules of repetition are kept, not spelled out. */
export const createCalendarReader = (found: EntrySink): Reader => {
  const zones = new Map<string, CalendarZone>();
  const open: Component[] = [];
  let calendarName: string | undefined;

  const timeOf = (line: ContentLine | undefined, value = line?.value ?? ''): string | undefined => {
    const read = localOf(value);
    if (line === undefined || read === undefined) return undefined;
    const { local, kind } = read;
    if (kind === 'date' || line.params.get('VALUE')?.[0]?.toUpperCase() === 'DATE')
      return localIso(local)?.slice(0, 10);
    if (kind === 'utc') return localIso(local)?.concat('Z');
    const zone = line.params.get('TZID')?.[0];
    const instant = zone === undefined ? undefined : instantFor(zone, local, zones.get(zone));
    // A time in an unknown zone stays local, like floating times.
    return instant === undefined ? localIso(local) : isoOf(instant);
  };
  const timesOf = (lines: readonly ContentLine[]): readonly string[] | undefined =>
    someOf(
      lines.flatMap((line) =>
        splitEscaped(line.value, ',').flatMap((value) => timeOf(line, value.split('/', 1)[0]) ?? []),
      ),
    );

  const person = (line: ContentLine | undefined): ParsedJson => {
    if (line === undefined) return undefined;
    const address = /^mailto:(?<address>.+)$/iu.exec(line.value)?.groups?.['address'];
    const name = line.params.get('CN')?.[0];
    return {
      name: orNothing(name),
      address: orNothing(address ?? line.params.get('EMAIL')?.[0]),
      answer: orNothing(line.params.get('PARTSTAT')?.[0]?.toLowerCase()),
    };
  };

  const emit = ({ name, lines: entryLines }: Component, place: string): void => {
    const lines = entryLines.all();
    const one = (wanted: string): ContentLine | undefined => lines.find((each) => each.name === wanted);
    const all = (wanted: string): ContentLine[] => lines.filter((each) => each.name === wanted);
    const text = (wanted: string): string | undefined => orNothing(plainText(one(wanted)?.value ?? ''));
    const task = name === 'VTODO';
    const start = timeOf(one('DTSTART'));
    const due = timeOf(one('DUE'));
    const title = text('SUMMARY');
    if (!task && start === undefined) return found.trouble(place, 'this event has no time at which it begins');
    if (task && title === undefined && due === undefined) return found.trouble(place, 'this task has no name');
    const uid = text('UID');
    const recurrenceId = timeOf(one('RECURRENCE-ID'));
    const [latitude, longitude] = (one('GEO')?.value ?? '').split(';').map(Number);
    const geo = [latitude, longitude].every((part) => part !== undefined && Number.isFinite(part));
    const common: ParsedObject = {
      title,
      start,
      allDay: start?.length === 10 ? true : undefined,
      timeZone: orNothing(one('DTSTART')?.params.get('TZID')?.[0]),
      location: text('LOCATION'),
      description: text('DESCRIPTION'),
      url: text('URL'),
      latitude: geo && one('GEO') !== undefined ? latitude : undefined,
      longitude: geo && one('GEO') !== undefined ? longitude : undefined,
      categories: someOf(
        all('CATEGORIES').flatMap((each) => splitEscaped(each.value, ',').map((part) => plainText(part))),
      ),
      status: text('STATUS')?.toLowerCase(),
      recurrence: text('RRULE'),
      recurrenceDates: timesOf(all('RDATE')),
      excludedDates: timesOf(all('EXDATE')),
      recurrenceId,
      calendar: calendarName,
      created: timeOf(one('CREATED')),
      updated: timeOf(one('LAST-MODIFIED')),
      uid,
    };
    const data: ParsedObject = task
      ? {
          ...common,
          due,
          completed: timeOf(one('COMPLETED')),
          percent: Number(one('PERCENT-COMPLETE')?.value ?? Number.NaN) || undefined,
        }
      : {
          ...common,
          end: timeOf(one('DTEND')),
          duration: text('DURATION'),
          busy: text('TRANSP') === undefined ? undefined : text('TRANSP')?.toUpperCase() !== 'TRANSPARENT',
          organizer: person(one('ORGANIZER')),
          attendees: someOf(all('ATTENDEE').map((each) => person(each))),
        };
    // Without an id, which the format demands and some programs forget, it is what it says.
    const identity =
      uid === undefined ? `${title ?? ''}\n${start ?? ''}\n${due ?? ''}` : `uid\n${uid}\n${recurrenceId ?? ''}`;
    found.entry({ kind: task ? 'calendar/tasks' : 'calendar/events', identity, data }, place);
  };

  const endZone = (component: Component): void => {
    const parent = open.at(-1);
    const lines = component.lines.all();
    const value = (name: string): string | undefined => lines.find((line) => line.name === name)?.value;
    if (component.name === 'VTIMEZONE') {
      const id = value('TZID');
      const zone = component.zone ?? { changes: [], location: undefined };
      if (id !== undefined && zones.size < 500) zones.set(id, { ...zone, location: value('X-LIC-LOCATION') });
      return;
    }
    const start = localOf(value('DTSTART') ?? '');
    const offset = offsetMsOf(value('TZOFFSETTO') ?? '');
    if (parent?.name !== 'VTIMEZONE' || start === undefined || offset === undefined) return;
    parent.zone ??= { changes: [], location: undefined };
    if (parent.zone.changes.length < MAX_ZONE_CHANGES)
      parent.zone.changes.push(changeOf(start.local, offset, value('RRULE')));
  };

  const end = (component: Component): void => {
    const place = `line ${component.line}`;
    if (component.name === 'VEVENT' || component.name === 'VTODO')
      readEntry(found, place, () => emit(component, place));
    else if (component.name === 'VTIMEZONE' || component.name === 'STANDARD' || component.name === 'DAYLIGHT')
      readEntry(found, place, () => endZone(component));
  };

  const abandon = (component: Component): void => {
    if (component.name === 'VEVENT' || component.name === 'VTODO')
      found.trouble(`line ${component.line}`, 'this entry does not end');
  };

  const lines = createContentLines({
    broken: (line, problem) => found.trouble(`line ${line}`, problem),
    take(line) {
      const value = line.value.trim().toUpperCase();
      if (line.name === 'BEGIN') {
        // A calendar, event or task inside one of the same kind means that the outer one was truncated.
        const again = value === 'VCALENDAR' ? 0 : open.findIndex((one) => one.name === value);
        if (again !== -1) for (const cut of open.splice(again)) abandon(cut);
        if (value === 'VCALENDAR') calendarName = undefined;
        if (open.length < MAX_DEPTH)
          open.push({ name: value, line: line.line, lines: createEntryLines(MAX_LINES), zone: undefined });
      } else if (line.name === 'END') {
        const at = open.findLastIndex((one) => one.name === value);
        if (at === -1) return;
        const [component, ...cut] = open.splice(at);
        for (const one of cut) abandon(one);
        if (component !== undefined) end(component);
      } else {
        const current = open.at(-1);
        if (current === undefined) return;
        if (current.name === 'VCALENDAR' && line.name === 'X-WR-CALNAME')
          calendarName = orNothing(plainText(line.value));
        // Its alarm's words are not the event's: they lie in a component of their own.
        if (current.name !== 'VCALENDAR') current.lines.add(line);
      }
    },
  });

  return {
    push: (piece) => lines.push(piece),
    end() {
      lines.end();
      for (const cut of open.splice(0)) abandon(cut);
    },
  };
};

export const isCalendar = (head: string): boolean => /^\s*BEGIN:VCALENDAR/iu.test(head);
