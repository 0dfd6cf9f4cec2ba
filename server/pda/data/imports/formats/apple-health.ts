import {
  isoOf,
  nonEmptyText,
  nonEmptyList,
  type EntrySink,
  type ParsedJson,
  type ParsedObject,
  type Reader,
} from '../parsing/entries.ts';
import { createMarkup, type Attributes } from '../parsing/markup.ts';
import { createLines, lineText } from '../parsing/text-lines.ts';

/** Reads exports of Apple Health: `export.xml` (its name is in the language of the phone) and the electrocardiograms beside it. */

/** Metadata entries, and statistics, of one record. */
const MAX_NESTED_ITEMS = 500;
/** Characters of the description of a device. */
const MAX_DEVICE_CHARS = 2000;
const TIME = /^(?<day>\d{4}-\d{2}-\d{2})[ T](?<time>\d{2}:\d{2}:\d{2})(?:\.\d+)? ?(?<zone>Z|[+-]\d{2}:?\d{2})$/u;

/** Returns the Unix milliseconds of a time such as "2024-03-01 08:12:33 +0100". */
const parseInstant = (text: string | undefined): number | undefined => {
  const groups = text === undefined ? undefined : TIME.exec(text.trim())?.groups;
  if (groups === undefined) return undefined;
  const zone = (groups['zone'] ?? 'Z').replace(/^(?<hours>[+-]\d{2})(?<minutes>\d{2})$/u, '$<hours>:$<minutes>');
  const ms = Date.parse(`${groups['day']}T${groups['time']}${zone}`);
  return Number.isFinite(ms) ? ms : undefined;
};

/** Removes Apple's prefix from an identifier. */
const shortName = (name: string | undefined): string | undefined =>
  nonEmptyText(
    name?.replace(
      /^HK(?:QuantityTypeIdentifier|CategoryTypeIdentifier|DataTypeIdentifier|DataType|CategoryValue|WorkoutActivityType|MetadataKey|WorkoutEventType)/u,
      '',
    ),
  );

const collapseSpaces = (text: string | undefined): string | undefined => nonEmptyText(text?.replaceAll(/\s+/gu, ' '));

/** Returns name and hardware of a device without its memory address, which differs in each export. */
const deviceName = (text: string | undefined): string | undefined => {
  if (text === undefined || text.length > MAX_DEVICE_CHARS) return undefined;
  let end = text.length;
  while (text[end - 1] === '>') end -= 1;
  const description = text.slice(0, end);
  const part = (name: string): string | undefined =>
    new RegExp(`(?:^|[ <,])${name}:(.*?)(?:, [a-z]+:|$)`, 'u').exec(description)?.[1];
  const [name, hardware] = [part('name'), part('hardware')];
  return collapseSpaces(hardware === undefined ? name : `${name ?? ''} (${hardware})`);
};

const measurementValue = (text: string | undefined): string | number | undefined => {
  if (text === undefined || text.trim() === '') return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : shortName(text);
};

type OpenRecord = {
  name: string;
  attributes: Attributes;
  at: number;
  notes: Map<string, ParsedJson>;
  statistics: ParsedJson[];
};

/**
 * Returns the times of a record. `end` is part of the record's identity, so it is an instant: another export may write the same times in
 * the current time zone of the phone.
 */
const timesOf = (
  attributes: Attributes,
): { start: number | undefined; end: number | undefined; data: ParsedObject } => {
  const [start, end, created] = ['startDate', 'endDate', 'creationDate'].map((name) => parseInstant(attributes[name]));
  const isoOrUndefined = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : isoOf(ms));
  return {
    start,
    end,
    data: { start: isoOrUndefined(start), end: isoOrUndefined(end), created: isoOrUndefined(created) },
  };
};
const originOf = (attributes: Attributes) => ({
  source: collapseSpaces(attributes['sourceName']),
  sourceVersion: collapseSpaces(attributes['sourceVersion']),
  device: deviceName(attributes['device']),
});

export const createHealthReader = (sink: EntrySink): Reader => {
  let open: OpenRecord | undefined;
  let inCorrelation = 0;
  let isComplete = false;

  const emitRecord = ({ attributes, at, notes }: OpenRecord): void => {
    const { start, end, data } = timesOf(attributes);
    const type = shortName(attributes['type']);
    if (type === undefined || start === undefined)
      return sink.addProblem(`line ${at}`, 'this record has no type or no time');
    const value = measurementValue(attributes['value']);
    const unit = nonEmptyText(attributes['unit']);
    const origin = originOf(attributes);
    sink.addEntry(
      {
        kind: 'health/records',
        at: start,
        identity: `${type}\n${end ?? attributes['endDate'] ?? ''}\n${origin.source ?? ''}\n${String(value ?? '')}\n${unit ?? ''}`,
        data: {
          type,
          ...data,
          value,
          unit,
          ...origin,
          metadata: notes.size === 0 ? undefined : Object.fromEntries(notes),
        },
      },
      `line ${at}`,
    );
  };

  const emitWorkout = ({ attributes, at, notes, statistics }: OpenRecord): void => {
    const { start, end, data } = timesOf(attributes);
    const activity = shortName(attributes['workoutActivityType']);
    if (activity === undefined || start === undefined)
      return sink.addProblem(`line ${at}`, 'this workout has no type or no time');
    const amount = (name: string, unit: string): ParsedJson => {
      const value = measurementValue(attributes[name]);
      return value === undefined ? undefined : { value, unit: nonEmptyText(attributes[unit]) };
    };
    const origin = originOf(attributes);
    sink.addEntry(
      {
        kind: 'health/workouts',
        at: start,
        identity: `${activity}\n${end ?? attributes['endDate'] ?? ''}\n${origin.source ?? ''}`,
        data: {
          activity,
          ...data,
          duration: amount('duration', 'durationUnit'),
          distance: amount('totalDistance', 'totalDistanceUnit'),
          energy: amount('totalEnergyBurned', 'totalEnergyBurnedUnit'),
          ...origin,
          statistics: nonEmptyList(statistics),
          metadata: notes.size === 0 ? undefined : Object.fromEntries(notes),
        },
      },
      `line ${at}`,
    );
  };

  const emitDay = (attributes: Attributes, at: number): void => {
    const date = nonEmptyText(attributes['dateComponents']);
    if (date === undefined || !/^\d{4}-\d{2}-\d{2}$/u.test(date))
      return sink.addProblem(`line ${at}`, 'this day has no date');
    const number = (name: string): ParsedJson => measurementValue(attributes[name]);
    const data = {
      date,
      activeEnergy: number('activeEnergyBurned'),
      activeEnergyGoal: number('activeEnergyBurnedGoal'),
      energyUnit: nonEmptyText(attributes['activeEnergyBurnedUnit']),
      moveMinutes: number('appleMoveTime'),
      exerciseMinutes: number('appleExerciseTime'),
      exerciseGoal: number('appleExerciseTimeGoal'),
      standHours: number('appleStandHours'),
      standGoal: number('appleStandHoursGoal'),
    };
    sink.addEntry({ kind: 'health/days', at: Date.parse(`${date}T00:00:00Z`), identity: '', data }, `line ${at}`);
  };

  const emitOpen = (): void => {
    const current = open;
    open = undefined;
    if (current === undefined) return;
    if (current.name === 'Workout') emitWorkout(current);
    else if (inCorrelation === 0) emitRecord(current);
  };

  const openElement = (name: string, attributes: Attributes, at: number): void => {
    switch (name) {
      case 'Record':
      case 'Workout':
        // A record that is still open is complete except for its end tag.
        emitOpen();
        open = { name, attributes, at, notes: new Map(), statistics: [] };
        break;
      case 'Correlation':
        // The records of a correlation are repeated outside of it.
        emitOpen();
        inCorrelation = 1;
        break;
      case 'ActivitySummary':
        emitOpen();
        emitDay(attributes, at);
        break;
      case 'MetadataEntry': {
        const key = shortName(attributes['key']);
        // `__proto__` would change the prototype of the metadata object.
        if (open !== undefined && key !== undefined && key !== '__proto__' && open.notes.size < MAX_NESTED_ITEMS)
          open.notes.set(key, nonEmptyText(attributes['value']));
        break;
      }
      case 'WorkoutStatistics':
        if (open === undefined || open.statistics.length >= MAX_NESTED_ITEMS) break;
        open.statistics.push({
          type: shortName(attributes['type']),
          average: measurementValue(attributes['average']),
          minimum: measurementValue(attributes['minimum']),
          maximum: measurementValue(attributes['maximum']),
          sum: measurementValue(attributes['sum']),
          unit: nonEmptyText(attributes['unit']),
        });
        break;
      default:
    }
  };

  const markup = createMarkup(
    { xml: true },
    {
      open: openElement,
      close(name) {
        if (name === 'Correlation') {
          emitOpen();
          inCorrelation = 0;
        } else if (name === open?.name) emitOpen();
        else if (name === 'HealthData') isComplete = true;
      },
      onBrokenTag: (line) => sink.addProblem(`line ${line}`, 'this entry is not valid XML'),
    },
  );
  return {
    push: (chunk) => markup.push(chunk),
    end() {
      markup.end();
      emitOpen();
      if (!isComplete) sink.addProblem('end of the file', 'the file is incomplete: its last line is missing');
    },
  };
};

export const isHealth = (head: string): boolean => /<!DOCTYPE\s+HealthData|<HealthData[\s>]/u.test(head);

/** Reads an electrocardiogram such as "ecg_2024-03-01.csv". Its labels are in the language of the phone, so fields are recognised by their values. */
export const createEcgReader = (sink: EntrySink): Reader => {
  const values: string[] = [];
  const microvolts: number[] = [];
  let hasEnded = false;
  const lines = createLines((bytes) => {
    const text = lineText(bytes).trim();
    if (text.length > MAX_DEVICE_CHARS) return;
    if (/^-?\d+(?:[.,]\d+)?$/u.test(text)) {
      if (microvolts.length < 200_000) microvolts.push(Number(text.replace(',', '.')));
    } else if (text !== '' && values.length < 50)
      values.push(
        text
          .replace(/^[^,;]*[,;]/u, '')
          .replaceAll('"', '')
          .trim(),
      );
  });
  return {
    push: (chunk) => lines.push(chunk),
    end() {
      lines.end();
      if (hasEnded) return;
      hasEnded = true;
      const date = values.findIndex((value) => parseInstant(value) !== undefined);
      const at = parseInstant(values[date]);
      if (at === undefined || microvolts.length === 0)
        return sink.addProblem('line 1', 'this electrocardiogram has no time or no values');
      const rate = values
        .map((value) => /^(?<rate>\d+(?:[.,]\d+)?) ?\p{L}+$/u.exec(value)?.groups?.['rate'])
        .find((value) => value !== undefined);
      sink.addEntry(
        {
          kind: 'health/ecgs',
          at,
          identity: '',
          data: {
            start: isoOf(at),
            classification: nonEmptyText(values[date + 1]),
            symptoms: nonEmptyText(values[date + 2]),
            samplesPerSecond: rate === undefined ? undefined : Number(rate.replace(',', '.')),
            device: values.find((value) => /^[A-Za-z]+\d+,\d+$/u.test(value)),
            microvolts,
          },
        },
        'line 1',
      );
    },
  };
};

export const isEcg = (name: string): boolean =>
  /(?:^|\/)electrocardiograms\/[^/]+\.csv$|(?:^|\/)ecg_\d{4}-\d{2}-\d{2}[^/]*\.csv$/iu.test(name);
