import type { Field } from '../../../../../../server/wire/fields.ts';

const START_NAME = /(?:^|[^a-z])(?:start|starts|begin|begins|from|dtstart|departure|arrival|check in)(?:$|[^a-z])/u;
const END_NAME = /(?:^|[^a-z])(?:end|ends|until|to|finish|finished|dtend|check out)(?:$|[^a-z])/u;

/** Returns the last segment of the path as lower-case words: `data.startTime` becomes `start time`. */
const wordsOf = ({ path }: Field): string =>
  path
    .slice(path.lastIndexOf('.') + 1)
    .replaceAll(/([a-z\d])([A-Z])/gu, '$1 $2')
    .replaceAll(/[_-]/gu, ' ')
    .toLowerCase();

/**
 * Returns the first field whose name suggests a start, else the first whose name does not suggest an end, else the
 * first; undefined without time fields.
 */
export const startField = (times: readonly Field[]): Field | undefined =>
  times.find((field) => START_NAME.test(wordsOf(field))) ??
  times.find((field) => !END_NAME.test(wordsOf(field))) ??
  times[0];

/** Returns the first other field whose name suggests an end; undefined if there is none. */
export const endField = (times: readonly Field[], start: Field | undefined): Field | undefined =>
  times.find((field) => field !== start && END_NAME.test(wordsOf(field)));
