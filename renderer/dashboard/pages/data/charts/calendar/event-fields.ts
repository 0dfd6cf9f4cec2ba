import type { Field } from '../../../../../../server/wire/fields.ts';

/** Matches names of fields with the start or end of an event. */
const START_NAME = /(?:^|[^a-z])(?:start|starts|begin|begins|from|dtstart|departure|arrival|check in)(?:$|[^a-z])/u;
const END_NAME = /(?:^|[^a-z])(?:end|ends|until|to|finish|finished|dtend|check out)(?:$|[^a-z])/u;

/** Converts the last name of a path to lower-case words: `data.startTime` becomes `start time`. */
const wordsOf = ({ path }: Field): string =>
  path
    .slice(path.lastIndexOf('.') + 1)
    .replaceAll(/([a-z\d])([A-Z])/gu, '$1 $2')
    .replaceAll(/[_-]/gu, ' ')
    .toLowerCase();

/** Returns the field with the start of an event: the first by name, else the first time; undefined without times. */
export const startField = (times: readonly Field[]): Field | undefined =>
  times.find((field) => START_NAME.test(wordsOf(field))) ??
  times.find((field) => !END_NAME.test(wordsOf(field))) ??
  times[0];

/** Returns the field with the end of an event: the first other time with such a name; undefined if there is none. */
export const endField = (times: readonly Field[], start: Field | undefined): Field | undefined =>
  times.find((field) => field !== start && END_NAME.test(wordsOf(field)));
