import type { Aggregation, ChartKind } from '../../../../../server/wire/chart-choices.ts';
import type { Field } from '../../../../../server/wire/fields.ts';

/** Suggests charts for an endpoint from the types and names of its fields. */

export interface ChartSpec {
  kind: ChartKind;
  /** Path of the charted field; undefined: records are counted. */
  field: string | undefined;
  /** Path of the field on the vertical axis of a scatter chart. */
  second?: string;
  /** Path of the field with the time; undefined: the time of storing. */
  time: string | undefined;
  aggregation: Aggregation;
}

/** Facts about the records that the fields do not tell. */
export interface RecordFacts {
  /** Days from the first to the last time of storing. */
  storedDays: number;
  /** Number of different values of a field in a sample; undefined if it is unknown. */
  distinctValues: (path: string) => number | undefined;
}

const MAX_DISTINCT = 20;
const NUMBER_TYPES = new Set(['number', 'money', 'duration']);
const IDENTIFIER = /(?:^|[^a-z])(?:id|ids|uuid|code|zip|postcode|phone|year|month|version|index|number)$/u;
const ADDABLE =
  /(?:^|[^a-z])(?:steps?|counts?|total|sum|quantity|calories|kcal|distance|minutes|seconds|hours|visits|views|plays?|pages|sales|gross|cost|spent)(?:$|[^a-z])/u;

const isNumber = ({ type }: Field): boolean => NUMBER_TYPES.has(type);
const isTime = ({ type }: Field): boolean => type === 'date' || type === 'dateTime';

/** Splits a path such as `data.stepCount` into lower-case words. */
const wordsOf = ({ path }: Field): string => path.replaceAll(/([a-z\d])([A-Z])/gu, '$1 $2').toLowerCase();

export const numberFields = (fields: readonly Field[]): Field[] => {
  const rank = (field: Field): number =>
    (IDENTIFIER.test(wordsOf(field)) ? 2 : 0) + (field.type === 'duration' ? 1 : 0);
  return fields.filter(isNumber).toSorted((a, b) => rank(a) - rank(b));
};

export const timeFields = (fields: readonly Field[]): Field[] =>
  fields.filter(isTime).toSorted((a, b) => b.filled - a.filled);

export const valueFields = (fields: readonly Field[]): Field[] =>
  fields.filter(({ type }) => type === 'boolean' || type === 'text');

/** Amounts and counts are added up; measurements are averaged. */
export const defaultAggregation = (field: Field): Aggregation =>
  field.type === 'money' || field.type === 'duration' || ADDABLE.test(wordsOf(field)) ? 'sum' : 'mean';

/** Returns charts of an endpoint, the most telling first. Never empty: records can always be counted. */
export const suggestCharts = (fields: readonly Field[], facts: RecordFacts): ChartSpec[] => {
  const numbers = numberFields(fields);
  const time = timeFields(fields)[0]?.path;
  const [first, second] = numbers;
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
    .filter(({ path, type }) => type === 'boolean' || (facts.distinctValues(path) ?? Infinity) <= MAX_DISTINCT)
    .map(({ path }): ChartSpec => ({ kind: 'values', field: path, time, aggregation: 'count' }));
  const distributions = numbers.map(({ path }): ChartSpec => ({
    kind: 'distribution',
    field: path,
    time,
    aggregation: 'count',
  }));
  const scatter: ChartSpec[] =
    first === undefined || second === undefined
      ? []
      : [{ kind: 'scatter', field: first.path, second: second.path, time, aggregation: 'count' }];
  const heat: ChartSpec = {
    kind: 'heat',
    field: first?.path,
    time,
    aggregation: first === undefined ? 'count' : defaultAggregation(first),
  };
  const others = [...distributions, ...byValue, ...scatter];
  // Records that were stored at once say nothing over the time of storing.
  return time !== undefined || facts.storedDays >= 2 ? [...overTime, ...others, heat] : [...others, ...overTime, heat];
};
