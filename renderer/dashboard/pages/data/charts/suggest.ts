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
  storedDays: number;
  /** Number of records from which the fields were inferred. */
  sampled: number;
}

/** String fields with more distinct values get no chart of their values. */
const MAX_DISTINCT_VALUES = 20;
/** Numbers are categories if at most this share of the values is distinct, and if there are enough records. */
const MAX_CATEGORY_SHARE = 0.05;
const MIN_CATEGORY_RECORDS = 40;
const NUMBER_TYPES = new Set(['number', 'money', 'duration', 'latitude', 'longitude']);
/** Minimum share of records with a picture in the PDA for which a gallery is the first suggestion. */
const MIN_GALLERY_SHARE = 0.5;
/** Names of numeric fields that are not quantities. */
const IDENTIFIER =
  /(?:^|[^a-z])(?:id|ids|uuid|code|zip|postcode|phone|year|month|version|index|number|parent|source|target)$/u;
/** Names of numeric fields that can be added up. */
const ADDABLE =
  /(?:^|[^a-z])(?:steps?|counts?|total|sum|quantity|calories|kcal|distance|minutes|seconds|hours|visits|views|plays?|pages|sales|gross|cost|spent|people|population|pop|births|deaths|generation)(?:$|[^a-z])/u;
/** Names of money fields that cannot be added up. */
const MONEY_LEVEL = /(?:^|[^a-z])(?:price|balance|salary)(?:$|[^a-z])/u;

const isNumber = ({ type }: Field): boolean => NUMBER_TYPES.has(type);
const isTime = ({ type }: Field): boolean => type === 'date' || type === 'dateTime';
const isCoordinate = ({ type }: Field): boolean => type === 'latitude' || type === 'longitude';

/** Converts a path such as `data.stepCount` to lower-case words. */
const toWords = ({ path }: Field): string => path.replaceAll(/([a-z\d])([A-Z])/gu, '$1 $2').toLowerCase();

const isIdentifier = (field: Field): boolean => IDENTIFIER.test(toWords(field));

/** Returns true for numbers that are codes of a category, such as 1 and 2 for the sexes. */
const isCategory = ({ distinct, filled }: Field, sampled: number): boolean =>
  filled * sampled >= MIN_CATEGORY_RECORDS && distinct <= filled * sampled * MAX_CATEGORY_SHARE;

/**
 * Numbers and amounts of money come first, then durations, categories, identifiers and coordinates.
 * @param sampled number of records, to distinguish categories from quantities
 */
export const numberFields = (fields: readonly Field[], sampled = 0): Field[] => {
  const rank = (field: Field): number => {
    if (isCoordinate(field)) return 4;
    if (isIdentifier(field)) return 3;
    return isCategory(field, sampled) ? 2 : Number(field.type === 'duration');
  };
  return fields.filter(isNumber).toSorted((a, b) => rank(a) - rank(b));
};

/** Fields that most records have come first, years last. */
export const timeFields = (fields: readonly Field[]): Field[] => {
  const yearRank = ({ timeFormat }: Field): number => Number(timeFormat === 'year');
  return fields.filter(isTime).toSorted((a, b) => b.filled - a.filled || yearRank(a) - yearRank(b));
};

export const valueFields = (fields: readonly Field[]): Field[] =>
  fields.filter(({ type }) => type === 'boolean' || type === 'text');

/** Fields with the most pictures stored in the PDA come first. */
export const pictureFields = (fields: readonly Field[]): Field[] =>
  fields
    .filter(({ type }) => type === 'image')
    .toSorted((a, b) => (b.ownPictures ?? 0) - (a.ownPictures ?? 0) || b.filled - a.filled);

/** Amounts and counts are added up; measurements and prices are averaged. */
export const defaultAggregation = (field: Field): Aggregation => {
  const words = toWords(field);
  if (field.type === 'money') return MONEY_LEVEL.test(words) ? 'mean' : 'sum';
  return field.type === 'duration' || ADDABLE.test(words) ? 'sum' : 'mean';
};

/** Returns the most useful charts first. Never empty, because records can always be counted. */
export const suggestCharts = (fields: readonly Field[], facts: RecordFacts): ChartSpec[] => {
  const numbers = numberFields(fields, facts.sampled).filter((field) => !isCoordinate(field));
  const time = timeFields(fields)[0]?.path;
  const [firstNumber, secondNumber] = numbers;
  const overTime: ChartSpec[] = [
    ...numbers.map((field): ChartSpec => ({
      kind: 'time',
      field: field.path,
      time,
      aggregation: defaultAggregation(field),
    })),
    { kind: 'time', field: undefined, time, aggregation: 'count' },
  ];
  const byValue = valueFields(fields)
    .filter(({ type, distinct }) => type === 'boolean' || (distinct > 1 && distinct <= MAX_DISTINCT_VALUES))
    .map(({ path }): ChartSpec => ({ kind: 'values', field: path, time, aggregation: 'count' }));
  const distributionsOf = (chartedFields: readonly Field[]): ChartSpec[] =>
    chartedFields.map(({ path }) => ({ kind: 'distribution', field: path, time, aggregation: 'count' }));
  const isMeasure = (field: Field): boolean => !isIdentifier(field) && !isCategory(field, facts.sampled);
  const scatter: ChartSpec[] =
    firstNumber === undefined || secondNumber === undefined
      ? []
      : [{ kind: 'scatter', field: firstNumber.path, second: secondNumber.path, time, aggregation: 'count' }];
  const heat: ChartSpec = {
    kind: 'heat',
    field: firstNumber?.path,
    time,
    aggregation: firstNumber === undefined ? 'count' : defaultAggregation(firstNumber),
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
  const times = timeFields(fields);
  const start = startField(times);
  // Records with a start and an end are events.
  const isEvent = endField(times, start) !== undefined;
  const calendar: ChartSpec[] =
    start === undefined ? [] : [{ kind: 'calendar', field: undefined, time: start.path, aggregation: 'count' }];
  const mapAndCalendar = isEvent ? [...map, ...calendar] : map;
  const [picture] = pictureFields(fields);
  const gallery: ChartSpec[] =
    picture === undefined ? [] : [{ kind: 'gallery', field: picture.path, time, aggregation: 'count' }];
  const otherCharts = [
    ...distributionsOf(numbers.filter(isMeasure)),
    ...byValue,
    ...scatter,
    ...distributionsOf(numbers.filter((field) => !isMeasure(field))),
  ];
  // If all records were stored at about the same time, a chart of storage times is useless.
  const charts =
    time !== undefined || facts.storedDays >= 2
      ? [...mapAndCalendar, ...overTime, ...otherCharts, heat]
      : [...mapAndCalendar, ...otherCharts, ...overTime, heat];
  const isOnlyCounted = charts.every(({ kind, field }) => kind === 'heat' || (kind === 'time' && field === undefined));
  const ownShare = picture?.ownPictures ?? 0;
  const isGalleryFirst = ownShare > MIN_GALLERY_SHARE || (ownShare > 0 && isOnlyCounted);
  return isGalleryFirst ? [...gallery, ...charts] : [...charts, ...gallery];
};
