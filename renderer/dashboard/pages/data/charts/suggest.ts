import type { Aggregation, ChartKind } from '../../../../../server/wire/chart-choices.ts';
import type { Field } from '../../../../../server/wire/fields.ts';
import { endField, startField } from './calendar/event-fields.ts';
import { positionFields } from './map/position-fields.ts';

export interface ChartSpec {
  kind: ChartKind;
  /** Field path; undefined if records are counted. */
  field: string | undefined;
  /** Field path for the vertical axis of a scatter chart or the longitude of a map. */
  second?: string;
  /** Path of the time field; undefined for storage times. */
  time: string | undefined;
  aggregation: Aggregation;
}

export interface RecordFacts {
  /** Days between the storage of the first and the last record. */
  storedDays: number;
  /** Number of records from which the fields were inferred. */
  sampled: number;
}

/** For text fields with more distinct values, a chart of the values is not suggested. */
const MAX_DISTINCT_VALUES = 20;
/** With fewer values, a measure can have few distinct ones by chance. */
const MIN_COMPARED_VALUES = 40;
/** Maximum share of distinct values of a dimension. */
const MAX_DIMENSION_SHARE = 0.1;
/** Maximum number of distinct values of a flag or a constant, and of a time that is not used as an axis. */
const MAX_FLAG_VALUES = 2;
const NUMBER_TYPES = new Set(['number', 'money', 'duration', 'latitude', 'longitude']);
/** A gallery is the first suggestion if a larger share of the records has a picture in the PDA. */
const MIN_GALLERY_SHARE = 0.5;
/** Names of numeric fields that identify, rank or date a record. Does not match rates such as `steps_per_day`. */
const CODE_NAME =
  /(?:^|(?<!(?:^|[^a-z])per)[^a-z])(?:id|ids|uuid|code|isbn\d*|ean|barcode|zip|postcode|phone|year|quarter|month|week|weekday|day|hour|version|index|number|sequence|rank|ranking|parent|source|target)$/u;
/** Names of numeric fields that can be added up. */
const ADDABLE_NAME =
  /(?:^|[^a-z])(?:steps?|counts?|total|sum|quantity|calories|kcal|distance|minutes|seconds|hours|visits|views|plays?|pages|sales|gross|cost|spent|people|population|pop|births|deaths|generation)(?:$|[^a-z])/u;
/** Names of money fields whose values are not added up. */
const MONEY_LEVEL_NAME = /(?:^|[^a-z])(?:price|balance|salary)(?:$|[^a-z])/u;

const isNumber = ({ type }: Field): boolean => NUMBER_TYPES.has(type);
const isTime = ({ type }: Field): boolean => type === 'date' || type === 'dateTime';
const isCoordinate = ({ type }: Field): boolean => type === 'latitude' || type === 'longitude';

/** Converts a path such as `data.stepCount` to lower-case words. */
const toWords = ({ path }: Field): string => path.replaceAll(/([a-z\d])([A-Z])/gu, '$1 $2').toLowerCase();

/** Returns true if a field has many values, of which at most `maxDistinct` are distinct. */
const hasFewDistinctValues = ({ distinct, filled }: Field, sampled: number, maxDistinct: number): boolean =>
  filled * sampled >= MIN_COMPARED_VALUES && distinct <= maxDistinct;

/** Roles of numeric fields, the most useful first. `suggestCharts` explains them. */
const NUMBER_ROLES = ['measure', 'dimension', 'code', 'coordinate'] as const;
type NumberRole = (typeof NUMBER_ROLES)[number];

const roleOf = (field: Field, sampled: number): NumberRole => {
  if (isCoordinate(field)) return 'coordinate';
  if (CODE_NAME.test(toWords(field)) || hasFewDistinctValues(field, sampled, MAX_FLAG_VALUES)) return 'code';
  return hasFewDistinctValues(field, sampled, field.filled * sampled * MAX_DIMENSION_SHARE) ? 'dimension' : 'measure';
};

/**
 * Returns the numeric fields, sorted by role. Durations come after the other measures.
 * @param sampled number of records in the sample; without it, no field is a dimension or a flag
 */
export const numberFields = (fields: readonly Field[], sampled = 0): Field[] => {
  const rank = (field: Field): number => {
    const role = roleOf(field, sampled);
    return NUMBER_ROLES.indexOf(role) + (role === 'measure' && field.type === 'duration' ? 0.5 : 0);
  };
  return fields.filter(isNumber).toSorted((a, b) => rank(a) - rank(b));
};

/** Returns the time fields: varying before constant ones, then by the number of records, then dates before years. */
export const timeFields = (fields: readonly Field[]): Field[] => {
  const constantRank = ({ distinct }: Field): number => Number(distinct < 2);
  const yearRank = ({ timeFormat }: Field): number => Number(timeFormat === 'year');
  return fields
    .filter(isTime)
    .toSorted((a, b) => constantRank(a) - constantRank(b) || b.filled - a.filled || yearRank(a) - yearRank(b));
};

export const valueFields = (fields: readonly Field[]): Field[] =>
  fields.filter(({ type }) => type === 'boolean' || type === 'text');

/** Returns the fields with pictures, first those with the most pictures in the PDA. */
export const pictureFields = (fields: readonly Field[]): Field[] =>
  fields
    .filter(({ type }) => type === 'image')
    .toSorted((a, b) => (b.ownPictures ?? 0) - (a.ownPictures ?? 0) || b.filled - a.filled);

/** Returns how values are combined: amounts, durations and counts are summed, measurements and prices averaged. */
export const defaultAggregation = (field: Field): Aggregation => {
  const words = toWords(field);
  if (field.type === 'money') return MONEY_LEVEL_NAME.test(words) ? 'mean' : 'sum';
  return field.type === 'duration' || ADDABLE_NAME.test(words) ? 'sum' : 'mean';
};

/** Returns the measures that make each record a point: those named `x` and `y`, or two that are its only numbers. */
const pointFields = (fields: readonly Field[], measures: readonly Field[]): readonly Field[] => {
  const axes = ['x', 'y'].flatMap(
    (name) => measures.find(({ path }) => path.split('.').at(-1)?.toLowerCase() === name) ?? [],
  );
  if (axes.length === 2) return axes;
  return measures.length === 2 && fields.filter(isNumber).length === 2 ? measures : [];
};

/**
 * Returns charts, the most useful first. Never empty, because records can always be counted.
 *
 * A gallery comes first if most records have a picture in the PDA, or if some have one and all other charts only count
 * records over time. Otherwise, the gallery comes last. A map and a calendar of events come before the remaining
 * charts, which depend on the roles of the numeric fields. The role of a field follows from its name and from how often
 * its values repeat:
 * - A code identifies, ranks or dates a record, or is a flag or a constant. Its mean and sum say little.
 * - A dimension groups the records by few distinct values, such as an age group or a rating.
 * - A measure is any other number that is not a coordinate.
 *
 * Charts over time show measures first, then dimensions, the number of records, and codes. They come before the other
 * charts unless the times of many records have only one or two distinct values, or there is no time field and the
 * storage times hardly differ. The other charts begin with a scatter chart if each record is a point. They continue
 * with distributions of measures, counts by value, distributions of dimensions, a scatter chart of two numbers unless
 * one came first, and distributions of codes. A heat map follows all of these.
 */
export const suggestCharts = (fields: readonly Field[], { storedDays, sampled }: RecordFacts): ChartSpec[] => {
  const numbers = numberFields(fields, sampled).filter((field) => !isCoordinate(field));
  const withRole = (role: NumberRole): Field[] => numbers.filter((field) => roleOf(field, sampled) === role);
  const [measures, dimensions, codes] = [withRole('measure'), withRole('dimension'), withRole('code')];
  const times = timeFields(fields);
  const [timeField] = times;
  const time = timeField?.path;
  const timeChartsOf = (chartedFields: readonly Field[]): ChartSpec[] =>
    chartedFields.map((field) => ({ kind: 'time', field: field.path, time, aggregation: defaultAggregation(field) }));
  const timeCharts: ChartSpec[] = [
    ...timeChartsOf([...measures, ...dimensions]),
    { kind: 'time', field: undefined, time, aggregation: 'count' },
    ...timeChartsOf(codes),
  ];
  const valueCharts = valueFields(fields)
    .filter(({ type, distinct }) => type === 'boolean' || (distinct > 1 && distinct <= MAX_DISTINCT_VALUES))
    .map(({ path }): ChartSpec => ({ kind: 'values', field: path, time, aggregation: 'count' }));
  const distributionsOf = (chartedFields: readonly Field[]): ChartSpec[] =>
    chartedFields.map(({ path }) => ({ kind: 'distribution', field: path, time, aggregation: 'count' }));
  const scatterOf = ([first, second]: readonly Field[]): ChartSpec[] =>
    first === undefined || second === undefined
      ? []
      : [{ kind: 'scatter', field: first.path, second: second.path, time, aggregation: 'count' }];
  const pointCharts = scatterOf(pointFields(fields, measures));
  const [heatField] = [...measures, ...dimensions];
  const heat: ChartSpec = {
    kind: 'heat',
    field: heatField?.path,
    time,
    aggregation: heatField === undefined ? 'count' : defaultAggregation(heatField),
  };
  const map: ChartSpec[] = positionFields(fields)
    .slice(0, 1)
    .map(({ field, second }) => ({
      kind: 'map',
      field: field.path,
      ...(second === undefined ? {} : { second: second.path }),
      time,
      aggregation: 'count',
    }));
  const start = startField(times);
  // Records with a start and an end are events.
  const hasEvents = endField(times, start) !== undefined;
  const calendar: ChartSpec[] =
    start === undefined ? [] : [{ kind: 'calendar', field: undefined, time: start.path, aggregation: 'count' }];
  const mapAndCalendar = hasEvents ? [...map, ...calendar] : map;
  const [picture] = pictureFields(fields);
  const gallery: ChartSpec[] =
    picture === undefined ? [] : [{ kind: 'gallery', field: picture.path, time, aggregation: 'count' }];
  const otherCharts = [
    ...pointCharts,
    ...distributionsOf(measures),
    ...valueCharts,
    ...distributionsOf(dimensions),
    ...(pointCharts.length === 0 ? scatterOf(numbers) : []),
    ...distributionsOf(codes),
  ];
  // If all records were stored at about the same time, a chart of storage times is useless.
  const hasTimeAxis =
    timeField === undefined ? storedDays >= 2 : !hasFewDistinctValues(timeField, sampled, MAX_FLAG_VALUES);
  const charts = hasTimeAxis
    ? [...mapAndCalendar, ...timeCharts, ...otherCharts, heat]
    : [...mapAndCalendar, ...otherCharts, ...timeCharts, heat];
  const areOnlyCounts = charts.every(({ kind, field }) => kind === 'heat' || (kind === 'time' && field === undefined));
  const ownShare = picture?.ownPictures ?? 0;
  const isGalleryFirst = ownShare > MIN_GALLERY_SHARE || (ownShare > 0 && areOnlyCounts);
  return isGalleryFirst ? [...gallery, ...charts] : [...charts, ...gallery];
};
