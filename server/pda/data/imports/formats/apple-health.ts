import {
  collapseSpaces,
  isoOf,
  nonEmptyText,
  nonEmptyList,
  nonEmptyObject,
  type EntrySink,
  type ParsedJson,
  type ParsedObject,
  type FormatReader,
} from '../parsing/entries.ts';
import { createMarkupParser, type Attributes } from '../parsing/markup.ts';
import { createLineSplitter, decodeLine } from '../parsing/text-lines.ts';

/** Maximum number of metadata entries, and of statistics, per record or workout. */
const MAX_NESTED_ITEMS = 500;
/** Maximum characters of a device description, and of a line of an electrocardiogram. */
const MAX_TEXT_CHARS = 2000;
const MAX_ECG_SAMPLES = 200_000;
/** Maximum number of labelled values before the voltages of an electrocardiogram. */
const MAX_ECG_HEADERS = 50;
const TIME = /^(?<day>\d{4}-\d{2}-\d{2})[ T](?<time>\d{2}:\d{2}:\d{2})(?:\.\d+)? ?(?<zone>Z|[+-]\d{2}:?\d{2})$/u;

/** Parses a time such as "2024-03-01 08:12:33 +0100" into Unix milliseconds. */
const parseInstant = (text: string | undefined): number | undefined => {
  const groups = text === undefined ? undefined : TIME.exec(text.trim())?.groups;
  if (groups === undefined) return undefined;
  const zone = (groups['zone'] ?? 'Z').replace(/^(?<hours>[+-]\d{2})(?<minutes>\d{2})$/u, '$<hours>:$<minutes>');
  const ms = Date.parse(`${groups['day']}T${groups['time']}${zone}`);
  return Number.isFinite(ms) ? ms : undefined;
};

const shortNameOf = (name: string | undefined): string | undefined =>
  nonEmptyText(
    name?.replace(
      /^HK(?:QuantityTypeIdentifier|CategoryTypeIdentifier|DataTypeIdentifier|DataType|CategoryValue|WorkoutActivityType|MetadataKey|WorkoutEventType)/u,
      '',
    ),
  );

/** Returns the name and hardware of a device without its memory address, which differs in each export. */
const deviceNameOf = (text: string | undefined): string | undefined => {
  if (text === undefined || text.length > MAX_TEXT_CHARS) return undefined;
  let end = text.length;
  while (text[end - 1] === '>') end -= 1;
  const description = text.slice(0, end);
  const valueOf = (name: string): string | undefined =>
    new RegExp(`(?:^|[ <,])${name}:(.*?)(?:, [a-z]+:|$)`, 'u').exec(description)?.[1];
  const [name, hardware] = [valueOf('name'), valueOf('hardware')];
  return collapseSpaces(hardware === undefined ? name : `${name ?? ''} (${hardware})`);
};

const measurementOf = (text: string | undefined): string | number | undefined => {
  if (text === undefined || text.trim() === '') return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : shortNameOf(text);
};

type OpenRecord = {
  name: string;
  attributes: Attributes;
  line: number;
  metadata: Map<string, ParsedJson>;
  statistics: ParsedJson[];
};

/** Returns the times of a record in UTC, because each export writes them in the phone's current time zone. */
const timesOf = (
  attributes: Attributes,
): { start: number | undefined; end: number | undefined; times: ParsedObject } => {
  const [start, end, created] = ['startDate', 'endDate', 'creationDate'].map((name) => parseInstant(attributes[name]));
  const isoOrUndefined = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : isoOf(ms));
  const times = { start: isoOrUndefined(start), end: isoOrUndefined(end), created: isoOrUndefined(created) };
  return { start, end, times };
};
const originOf = (attributes: Attributes) => ({
  source: collapseSpaces(attributes['sourceName']),
  sourceVersion: collapseSpaces(attributes['sourceVersion']),
  device: deviceNameOf(attributes['device']),
});

export const createHealthReader = (sink: EntrySink): FormatReader => {
  let openRecord: OpenRecord | undefined;
  /** Part of the open workout that has its own metadata and statistics, which are left out. */
  let openPart: string | undefined;
  let isInCorrelation = false;
  let isComplete = false;

  const emitRecord = ({ attributes, line, metadata }: OpenRecord): void => {
    if (!sink.beginEntry(`line ${line}`)) return;
    const { start, end, times } = timesOf(attributes);
    const type = shortNameOf(attributes['type']);
    if (type === undefined || start === undefined)
      return sink.addProblem(`line ${line}`, 'this record has no type or no time');
    const value = measurementOf(attributes['value']);
    const unit = nonEmptyText(attributes['unit']);
    const origin = originOf(attributes);
    const identity = [type, end ?? attributes['endDate'], origin.source, value, unit].join('\n');
    const data = { type, ...times, value, unit, ...origin, metadata: nonEmptyObject(metadata) };
    sink.addEntry({ kind: 'health/records', at: start, identity, data }, `line ${line}`);
  };

  const emitWorkout = ({ attributes, line, metadata, statistics }: OpenRecord): void => {
    if (!sink.beginEntry(`line ${line}`)) return;
    const { start, end, times } = timesOf(attributes);
    const activity = shortNameOf(attributes['workoutActivityType']);
    if (activity === undefined || start === undefined)
      return sink.addProblem(`line ${line}`, 'this workout has no type or no time');
    const amountOf = (name: string, unit: string): ParsedJson => {
      const value = measurementOf(attributes[name]);
      return value === undefined ? undefined : { value, unit: nonEmptyText(attributes[unit]) };
    };
    const origin = originOf(attributes);
    const identity = [activity, end ?? attributes['endDate'], origin.source].join('\n');
    const data = {
      activity,
      ...times,
      duration: amountOf('duration', 'durationUnit'),
      distance: amountOf('totalDistance', 'totalDistanceUnit'),
      energy: amountOf('totalEnergyBurned', 'totalEnergyBurnedUnit'),
      ...origin,
      statistics: nonEmptyList(statistics),
      metadata: nonEmptyObject(metadata),
    };
    sink.addEntry({ kind: 'health/workouts', at: start, identity, data }, `line ${line}`);
  };

  const emitDay = (attributes: Attributes, line: number): void => {
    if (!sink.beginEntry(`line ${line}`)) return;
    const date = nonEmptyText(attributes['dateComponents']);
    if (date === undefined || !/^\d{4}-\d{2}-\d{2}$/u.test(date))
      return sink.addProblem(`line ${line}`, 'this day has no date');
    const valueOf = (name: string): ParsedJson => measurementOf(attributes[name]);
    const data = {
      date,
      activeEnergy: valueOf('activeEnergyBurned'),
      activeEnergyGoal: valueOf('activeEnergyBurnedGoal'),
      energyUnit: nonEmptyText(attributes['activeEnergyBurnedUnit']),
      moveMinutes: valueOf('appleMoveTime'),
      exerciseMinutes: valueOf('appleExerciseTime'),
      exerciseGoal: valueOf('appleExerciseTimeGoal'),
      standHours: valueOf('appleStandHours'),
      standGoal: valueOf('appleStandHoursGoal'),
    };
    sink.addEntry({ kind: 'health/days', at: Date.parse(`${date}T00:00:00Z`), identity: '', data }, `line ${line}`);
  };

  const emitOpenRecord = (): void => {
    const current = openRecord;
    openRecord = undefined;
    openPart = undefined;
    if (current === undefined) return;
    if (current.name === 'Workout') emitWorkout(current);
    else if (!isInCorrelation) emitRecord(current);
  };

  const openElement = (name: string, attributes: Attributes, line: number): void => {
    switch (name) {
      case 'Record':
      case 'Workout':
        emitOpenRecord();
        openRecord = { name, attributes, line, metadata: new Map(), statistics: [] };
        break;
      case 'Correlation':
        // The records in a correlation are skipped, because the export repeats them outside it.
        emitOpenRecord();
        isInCorrelation = true;
        break;
      case 'ActivitySummary':
        emitOpenRecord();
        emitDay(attributes, line);
        break;
      case 'MetadataEntry': {
        const key = shortNameOf(attributes['key']);
        // `__proto__` would change the prototype of the metadata object.
        if (
          openRecord !== undefined &&
          openPart === undefined &&
          key !== undefined &&
          key !== '__proto__' &&
          openRecord.metadata.size < MAX_NESTED_ITEMS
        )
          openRecord.metadata.set(key, nonEmptyText(attributes['value']));
        break;
      }
      case 'WorkoutStatistics':
        if (openRecord === undefined || openPart !== undefined) break;
        if (openRecord.statistics.length >= MAX_NESTED_ITEMS) break;
        openRecord.statistics.push({
          type: shortNameOf(attributes['type']),
          average: measurementOf(attributes['average']),
          minimum: measurementOf(attributes['minimum']),
          maximum: measurementOf(attributes['maximum']),
          sum: measurementOf(attributes['sum']),
          unit: nonEmptyText(attributes['unit']),
        });
        break;
      case 'WorkoutRoute':
      case 'WorkoutActivity':
        openPart ??= name;
        break;
      default:
    }
  };

  const markup = createMarkupParser(
    { xml: true },
    {
      open: openElement,
      close(name) {
        if (name === 'Correlation') {
          emitOpenRecord();
          isInCorrelation = false;
        } else if (name === openPart) openPart = undefined;
        else if (name === openRecord?.name) emitOpenRecord();
        else if (name === 'HealthData') isComplete = true;
      },
      onBrokenTag: (line) => sink.addProblem(`line ${line}`, 'this entry is not valid XML'),
    },
  );
  return {
    push: (chunk) => markup.push(chunk),
    end() {
      markup.end();
      emitOpenRecord();
      if (!isComplete) sink.addProblem('end of the file', 'the file is incomplete: its last line is missing');
    },
  };
};

export const isHealthExport = (head: string): boolean => /<!DOCTYPE\s+HealthData|<HealthData[\s>]/u.test(head);

/**
 * Reads an electrocardiogram. Labels are in the phone's language, so the fields are recognised by their values and
 * order.
 */
export const createEcgReader = (sink: EntrySink): FormatReader => {
  const values: string[] = [];
  const microvolts: number[] = [];
  const lines = createLineSplitter((bytes) => {
    const text = decodeLine(bytes).trim();
    if (text.length > MAX_TEXT_CHARS) return;
    if (/^-?\d+(?:[.,]\d+)?$/u.test(text)) {
      if (microvolts.length < MAX_ECG_SAMPLES) microvolts.push(Number(text.replace(',', '.')));
    } else if (text !== '' && values.length < MAX_ECG_HEADERS)
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
      if (!sink.beginEntry('line 1')) return;
      const timeIndex = values.findIndex((value) => parseInstant(value) !== undefined);
      const at = parseInstant(values[timeIndex]);
      if (at === undefined || microvolts.length === 0)
        return sink.addProblem('line 1', 'this electrocardiogram has no time or no values');
      const rate = values
        .map((value) => /^(?<rate>\d+(?:[.,]\d+)?) ?\p{L}+$/u.exec(value)?.groups?.['rate'])
        .find((value) => value !== undefined);
      const data = {
        start: isoOf(at),
        classification: nonEmptyText(values[timeIndex + 1]),
        symptoms: nonEmptyText(values[timeIndex + 2]),
        samplesPerSecond: rate === undefined ? undefined : Number(rate.replace(',', '.')),
        device: values.find((value) => /^[A-Za-z]+\d+,\d+$/u.test(value)),
        microvolts,
      };
      sink.addEntry({ kind: 'health/ecgs', at, identity: '', data }, 'line 1');
    },
  };
};

export const isEcg = (name: string): boolean =>
  /(?:^|\/)electrocardiograms\/[^/]+\.csv$|(?:^|\/)ecg_\d{4}-\d{2}-\d{2}[^/]*\.csv$/iu.test(name);
