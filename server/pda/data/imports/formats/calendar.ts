import { createTransition, instantInCalendarZone, offsetMsOf, type CalendarZone } from './calendar-time-zones.ts';
import {
  createContentLineParser,
  createEntryLines,
  splitEscaped,
  textsOfLists,
  unescapeText,
  type ContentLine,
  type EntryLines,
} from '../parsing/content-lines.ts';
import {
  isoOf,
  nonEmptyText,
  readEntry,
  nonEmptyList,
  type EntrySink,
  type ParsedJson,
  type ParsedObject,
  type FormatReader,
} from '../parsing/entries.ts';
import { coordinatesOf, numberIn } from '../parsing/json-fields.ts';
import { localIso, type LocalTime } from '../parsing/time-zones.ts';

const MAX_COMPONENT_LINES = 20_000;
const MAX_DEPTH = 8;
const MAX_ZONES = 500;
/** Maximum number of transitions of a zone. Each date-time in the zone is compared with all of them. */
const MAX_ZONE_TRANSITIONS = 100;

type Component = { name: string; line: number; lines: EntryLines; zone: CalendarZone | undefined };

const DATE_TIME_PATTERN =
  /^(?<year>\d{4})-?(?<month>\d{2})-?(?<day>\d{2})(?:T(?<hour>\d{2}):?(?<minute>\d{2}):?(?<second>\d{2})?(?<utc>Z)?)?$/u;

const parseLocalTime = (value: string): { local: LocalTime; kind: 'date' | 'local' | 'utc' } | undefined => {
  const groups = DATE_TIME_PATTERN.exec(value.trim())?.groups;
  if (groups === undefined) return undefined;
  const numberOf = (name: string): number => Number(groups[name] ?? 0);
  const local = {
    year: numberOf('year'),
    month: numberOf('month'),
    day: numberOf('day'),
    hour: numberOf('hour'),
    minute: numberOf('minute'),
    second: numberOf('second'),
  };
  const isDate = localIso({ ...local, hour: 0, minute: 0, second: 0 })?.startsWith(
    `${groups['year']}-${groups['month']}-${groups['day']}`,
  );
  if (isDate !== true || local.hour > 24 || local.minute > 59 || local.second > 60) return undefined;
  return { local, kind: groups['hour'] === undefined ? 'date' : groups['utc'] === undefined ? 'local' : 'utc' };
};

/** Reads iCalendar files (RFC 5545): one entry per event or task. Recurrence rules are not expanded. */
export const createCalendarReader = (sink: EntrySink): FormatReader => {
  const zones = new Map<string, CalendarZone>();
  const openComponents: Component[] = [];
  let calendarName: string | undefined;

  const timeOf = (line: ContentLine | undefined, value = line?.value ?? ''): string | undefined => {
    const parsedTime = parseLocalTime(value);
    if (line === undefined || parsedTime === undefined) return undefined;
    const { local, kind } = parsedTime;
    if (kind === 'date' || line.params.get('VALUE')?.[0]?.toUpperCase() === 'DATE')
      return localIso(local)?.slice(0, 10);
    if (kind === 'utc') return localIso(local)?.concat('Z');
    const zone = line.params.get('TZID')?.[0];
    const instant = zone === undefined ? undefined : instantInCalendarZone(zone, local, zones.get(zone));
    // A time in an unknown zone stays local.
    return instant === undefined ? localIso(local) : isoOf(instant);
  };
  const timesOf = (lines: readonly ContentLine[]): readonly string[] | undefined =>
    nonEmptyList(
      lines.flatMap((line) =>
        splitEscaped(line.value, ',').flatMap((value) => timeOf(line, value.split('/', 1)[0]) ?? []),
      ),
    );

  const personOf = (line: ContentLine | undefined): ParsedJson => {
    if (line === undefined) return undefined;
    const address = /^mailto:(?<address>.+)$/iu.exec(line.value)?.groups?.['address'];
    const name = line.params.get('CN')?.[0];
    return {
      name: nonEmptyText(name),
      address: nonEmptyText(address ?? line.params.get('EMAIL')?.[0]),
      answer: nonEmptyText(line.params.get('PARTSTAT')?.[0]?.toLowerCase()),
    };
  };

  const emit = ({ name, lines: entryLines }: Component, filePosition: string): void => {
    const lines = entryLines.all();
    const findLine = (property: string): ContentLine | undefined => lines.find((line) => line.name === property);
    const findLines = (property: string): ContentLine[] => lines.filter((line) => line.name === property);
    const textOf = (property: string): string | undefined =>
      nonEmptyText(unescapeText(findLine(property)?.value ?? ''));
    const isTask = name === 'VTODO';
    const start = timeOf(findLine('DTSTART'));
    const due = timeOf(findLine('DUE'));
    const title = textOf('SUMMARY');
    if (!isTask && start === undefined) return sink.addProblem(filePosition, 'this event has no start time');
    if (isTask && title === undefined && due === undefined)
      return sink.addProblem(filePosition, 'this task has neither a title nor a due date');
    const uid = textOf('UID');
    const recurrenceId = timeOf(findLine('RECURRENCE-ID'));
    const [latitude, longitude] = (findLine('GEO')?.value ?? '').split(';').map(numberIn);
    const common: ParsedObject = {
      title,
      start,
      allDay: start?.length === 10 ? true : undefined,
      timeZone: nonEmptyText(findLine('DTSTART')?.params.get('TZID')?.[0]),
      location: textOf('LOCATION'),
      description: textOf('DESCRIPTION'),
      url: textOf('URL'),
      ...coordinatesOf(latitude, longitude),
      categories: textsOfLists(findLines('CATEGORIES')),
      status: textOf('STATUS')?.toLowerCase(),
      recurrence: textOf('RRULE'),
      recurrenceDates: timesOf(findLines('RDATE')),
      excludedDates: timesOf(findLines('EXDATE')),
      recurrenceId,
      calendar: calendarName,
      created: timeOf(findLine('CREATED')),
      updated: timeOf(findLine('LAST-MODIFIED')),
      uid,
    };
    const data: ParsedObject = isTask
      ? {
          ...common,
          due,
          completed: timeOf(findLine('COMPLETED')),
          percent: numberIn(findLine('PERCENT-COMPLETE')?.value),
        }
      : {
          ...common,
          end: timeOf(findLine('DTEND')),
          duration: textOf('DURATION'),
          busy: textOf('TRANSP') === undefined ? undefined : textOf('TRANSP')?.toUpperCase() !== 'TRANSPARENT',
          organizer: personOf(findLine('ORGANIZER')),
          attendees: nonEmptyList(findLines('ATTENDEE').map((line) => personOf(line))),
        };
    // The format requires an id, but some programs omit it.
    const identity =
      uid === undefined ? `${title ?? ''}\n${start ?? ''}\n${due ?? ''}` : `uid\n${uid}\n${recurrenceId ?? ''}`;
    sink.addEntry({ kind: isTask ? 'calendar/tasks' : 'calendar/events', identity, data }, filePosition);
  };

  const endZone = (component: Component): void => {
    const parent = openComponents.at(-1);
    const lines = component.lines.all();
    const valueOf = (name: string): string | undefined => lines.find((line) => line.name === name)?.value;
    if (component.name === 'VTIMEZONE') {
      const id = unescapeText(valueOf('TZID') ?? '');
      const zone = component.zone ?? { transitions: [], location: undefined };
      if (id !== '' && zones.size < MAX_ZONES) zones.set(id, { ...zone, location: valueOf('X-LIC-LOCATION') });
      return;
    }
    const start = parseLocalTime(valueOf('DTSTART') ?? '');
    const offsetMs = offsetMsOf(valueOf('TZOFFSETTO') ?? '');
    const offsetBeforeMs = offsetMsOf(valueOf('TZOFFSETFROM') ?? '');
    if (parent?.name !== 'VTIMEZONE' || start === undefined || offsetMs === undefined) return;
    parent.zone ??= { transitions: [], location: undefined };
    if (parent.zone.transitions.length < MAX_ZONE_TRANSITIONS)
      parent.zone.transitions.push(createTransition(start.local, { offsetMs, offsetBeforeMs }, valueOf('RRULE')));
  };

  const endComponent = (component: Component): void => {
    const filePosition = `line ${component.line}`;
    if (component.name === 'VEVENT' || component.name === 'VTODO')
      readEntry(sink, filePosition, () => emit(component, filePosition));
    else if (component.name === 'VTIMEZONE' || component.name === 'STANDARD' || component.name === 'DAYLIGHT')
      readEntry(sink, filePosition, () => endZone(component));
  };

  const reportTruncated = (component: Component): void => {
    if (component.name === 'VEVENT' || component.name === 'VTODO')
      sink.addProblem(`line ${component.line}`, 'this entry is incomplete: its END line is missing');
  };

  const lines = createContentLineParser({
    onBrokenLine: (line, problem) => sink.addProblem(`line ${line}`, problem),
    onLine(line) {
      const value = line.value.trim().toUpperCase();
      if (line.name === 'BEGIN') {
        // A component inside a component of the same name means that the outer component was truncated.
        const outer = value === 'VCALENDAR' ? 0 : openComponents.findIndex(({ name }) => name === value);
        if (outer !== -1) for (const truncated of openComponents.splice(outer)) reportTruncated(truncated);
        if (value === 'VCALENDAR') calendarName = undefined;
        if (openComponents.length < MAX_DEPTH)
          openComponents.push({
            name: value,
            line: line.line,
            lines: createEntryLines(MAX_COMPONENT_LINES),
            zone: undefined,
          });
      } else if (line.name === 'END') {
        const openIndex = openComponents.findLastIndex(({ name }) => name === value);
        if (openIndex === -1) return;
        const [component, ...truncated] = openComponents.splice(openIndex);
        for (const nested of truncated) reportTruncated(nested);
        if (component !== undefined) endComponent(component);
      } else {
        // The innermost component, so that the lines of an alarm are not added to its event.
        const current = openComponents.at(-1);
        if (current === undefined) return;
        if (current.name === 'VCALENDAR' && line.name === 'X-WR-CALNAME')
          calendarName = nonEmptyText(unescapeText(line.value));
        if (current.name !== 'VCALENDAR') current.lines.add(line);
      }
    },
  });

  return {
    push: (chunk) => lines.push(chunk),
    end() {
      lines.end();
      for (const truncated of openComponents.splice(0)) reportTruncated(truncated);
    },
  };
};

export const isCalendar = (head: string): boolean => /^\s*BEGIN:VCALENDAR/iu.test(head);
