import {
  isoOf,
  orNothing,
  someOf,
  type EntrySink,
  type ParsedJson,
  type ParsedObject,
  type Reader,
} from '../parsing/entries.ts';
import { createMarkup, type Attributes } from '../parsing/markup.ts';
import { createLines, lineText } from '../parsing/text-lines.ts';

/** The export of Apple Health: `export.xml` (its name is in the language of the telephone), and the electrocardiograms beside it. */

const MAX_INSIDE = 500;
/** Characters of what is said about a device. */
const MAX_DEVICE = 2000;
const TIME = /^(?<day>\d{4}-\d{2}-\d{2})[ T](?<time>\d{2}:\d{2}:\d{2})(?:\.\d+)? ?(?<zone>Z|[+-]\d{2}:?\d{2})$/u;

/** Unix milliseconds of "2024-03-01 08:12:33 +0100". */
const instantIn = (text: string | undefined): number | undefined => {
  const found = text === undefined ? undefined : TIME.exec(text.trim())?.groups;
  if (found === undefined) return undefined;
  const zone = (found['zone'] ?? 'Z').replace(/^(?<hours>[+-]\d{2})(?<minutes>\d{2})$/u, '$<hours>:$<minutes>');
  const ms = Date.parse(`${found['day']}T${found['time']}${zone}`);
  return Number.isFinite(ms) ? ms : undefined;
};

const shortName = (name: string | undefined): string | undefined =>
  orNothing(
    name?.replace(
      /^HK(?:QuantityTypeIdentifier|CategoryTypeIdentifier|DataTypeIdentifier|DataType|CategoryValue|WorkoutActivityType|MetadataKey|WorkoutEventType)/u,
      '',
    ),
  );

const spaced = (text: string | undefined): string | undefined => orNothing(text?.replaceAll(/\s+/gu, ' '));

/** Its address in the memory of the telephone, which is another at each export, is left out. */
const deviceIn = (text: string | undefined): string | undefined => {
  if (text === undefined || text.length > MAX_DEVICE) return undefined;
  let end = text.length;
  while (text[end - 1] === '>') end -= 1;
  const described = text.slice(0, end);
  const part = (name: string): string | undefined =>
    new RegExp(`(?:^|[ <,])${name}:(.*?)(?:, [a-z]+:|$)`, 'u').exec(described)?.[1];
  const [name, hardware] = [part('name'), part('hardware')];
  return spaced(hardware === undefined ? name : `${name ?? ''} (${hardware})`);
};

const measured = (text: string | undefined): string | number | undefined => {
  if (text === undefined || text.trim() === '') return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : shortName(text);
};

type Open = {
  name: string;
  attributes: Attributes;
  at: number;
  notes: Map<string, ParsedJson>;
  statistics: ParsedJson[];
};

/** `end`: part of what makes a record the same in another export, which may say its times in the zone where the telephone is by then. */
const timesOf = (
  attributes: Attributes,
): { start: number | undefined; end: number | undefined; data: ParsedObject } => {
  const [start, end, created] = ['startDate', 'endDate', 'creationDate'].map((name) => instantIn(attributes[name]));
  const written = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : isoOf(ms));
  return { start, end, data: { start: written(start), end: written(end), created: written(created) } };
};
const originOf = (attributes: Attributes) => ({
  source: spaced(attributes['sourceName']),
  sourceVersion: spaced(attributes['sourceVersion']),
  device: deviceIn(attributes['device']),
});

export const createHealthReader = (found: EntrySink): Reader => {
  let open: Open | undefined;
  let inCorrelation = 0;
  let isWhole = false;

  const emitRecord = ({ attributes, at, notes }: Open): void => {
    const { start, end, data } = timesOf(attributes);
    const type = shortName(attributes['type']);
    if (type === undefined || start === undefined)
      return found.trouble(`line ${at}`, 'this record has no type or no time');
    const value = measured(attributes['value']);
    const unit = orNothing(attributes['unit']);
    const origin = originOf(attributes);
    found.entry(
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

  const emitWorkout = ({ attributes, at, notes, statistics }: Open): void => {
    const { start, end, data } = timesOf(attributes);
    const activity = shortName(attributes['workoutActivityType']);
    if (activity === undefined || start === undefined)
      return found.trouble(`line ${at}`, 'this workout has no kind or no time');
    const amount = (name: string, unit: string): ParsedJson => {
      const value = measured(attributes[name]);
      return value === undefined ? undefined : { value, unit: orNothing(attributes[unit]) };
    };
    const origin = originOf(attributes);
    found.entry(
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
          statistics: someOf(statistics),
          metadata: notes.size === 0 ? undefined : Object.fromEntries(notes),
        },
      },
      `line ${at}`,
    );
  };

  const emitDay = (attributes: Attributes, at: number): void => {
    const date = orNothing(attributes['dateComponents']);
    if (date === undefined || !/^\d{4}-\d{2}-\d{2}$/u.test(date))
      return found.trouble(`line ${at}`, 'this day has no date');
    const number = (name: string): ParsedJson => measured(attributes[name]);
    const data = {
      date,
      activeEnergy: number('activeEnergyBurned'),
      activeEnergyGoal: number('activeEnergyBurnedGoal'),
      energyUnit: orNothing(attributes['activeEnergyBurnedUnit']),
      moveMinutes: number('appleMoveTime'),
      exerciseMinutes: number('appleExerciseTime'),
      exerciseGoal: number('appleExerciseTimeGoal'),
      standHours: number('appleStandHours'),
      standGoal: number('appleStandHoursGoal'),
    };
    found.entry({ kind: 'health/days', at: Date.parse(`${date}T00:00:00Z`), identity: '', data }, `line ${at}`);
  };

  const settle = (): void => {
    const current = open;
    open = undefined;
    if (current === undefined) return;
    if (current.name === 'Workout') emitWorkout(current);
    else if (inCorrelation === 0) emitRecord(current);
  };

  const begin = (name: string, attributes: Attributes, at: number): void => {
    switch (name) {
      case 'Record':
      case 'Workout':
        // One that is still open lacks its end, and no more.
        settle();
        open = { name, attributes, at, notes: new Map(), statistics: [] };
        break;
      case 'Correlation':
        // Its records stand outside of it once more.
        settle();
        inCorrelation = 1;
        break;
      case 'ActivitySummary':
        settle();
        emitDay(attributes, at);
        break;
      case 'MetadataEntry': {
        const key = shortName(attributes['key']);
        // A record of a record: the key that only the telephone needs says nothing.
        if (open !== undefined && key !== undefined && key !== '__proto__' && open.notes.size < MAX_INSIDE)
          open.notes.set(key, orNothing(attributes['value']));
        break;
      }
      case 'WorkoutStatistics':
        if (open === undefined || open.statistics.length >= MAX_INSIDE) break;
        open.statistics.push({
          type: shortName(attributes['type']),
          average: measured(attributes['average']),
          minimum: measured(attributes['minimum']),
          maximum: measured(attributes['maximum']),
          sum: measured(attributes['sum']),
          unit: orNothing(attributes['unit']),
        });
        break;
      default:
    }
  };

  const markup = createMarkup(
    { xml: true },
    {
      open: begin,
      close(name) {
        if (name === 'Correlation') {
          settle();
          inCorrelation = 0;
        } else if (name === open?.name) settle();
        else if (name === 'HealthData') isWhole = true;
      },
      broken: (line) => found.trouble(`line ${line}`, 'this entry is no XML'),
    },
  );
  return {
    push: (piece) => markup.push(piece),
    end() {
      markup.end();
      settle();
      if (!isWhole) found.trouble('end of the file', 'the file is not whole: its last line is missing');
    },
  };
};

export const isHealth = (head: string): boolean => /<!DOCTYPE\s+HealthData|<HealthData[\s>]/u.test(head);

/** "ecg_2024-03-01.csv": the names before the colons are in the language of the telephone, so the values say what they are. */
export const createEcgReader = (found: EntrySink): Reader => {
  const values: string[] = [];
  const microvolts: number[] = [];
  let isOver = false;
  const lines = createLines((bytes) => {
    const text = lineText(bytes).trim();
    if (text.length > MAX_DEVICE) return;
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
    push: (piece) => lines.push(piece),
    end() {
      lines.end();
      if (isOver) return;
      isOver = true;
      const date = values.findIndex((value) => instantIn(value) !== undefined);
      const at = instantIn(values[date]);
      if (at === undefined || microvolts.length === 0)
        return found.trouble('line 1', 'this electrocardiogram has no time or no values');
      const rate = values
        .map((value) => /^(?<rate>\d+(?:[.,]\d+)?) ?\p{L}+$/u.exec(value)?.groups?.['rate'])
        .find((value) => value !== undefined);
      found.entry(
        {
          kind: 'health/ecgs',
          at,
          identity: '',
          data: {
            start: isoOf(at),
            classification: orNothing(values[date + 1]),
            symptoms: orNothing(values[date + 2]),
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
