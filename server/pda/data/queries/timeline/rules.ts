import type { Field, TimeFormat } from '../../../../wire/fields.ts';

/** Field with the time of a record. `format` is undefined if the owner chose the type and no format was inferred. */
export type RecordTime = { path: string; format: TimeFormat | undefined };

/** Minimum share of the records that have a value in the field. */
const MIN_FILLED_SHARE = 0.5;
/** Matches names of fields that contain the end of an event or the time of a change. */
const LATER_NAME =
  /(?:^|[^a-z])(?:end|ends|ended|until|finish|finished|dtend|updated|modified|changed|edited)(?:$|[^a-z])/u;
/** Field of a feed item by which the feed is sorted. */
const FEED_TIME: RecordTime = { path: 'date.unix', format: 'seconds' };
const FEED_PATHS = ['source', 'date.iso', FEED_TIME.path, 'types'];

export const areFeedItems = (fields: readonly Field[]): boolean =>
  FEED_PATHS.every((path) => fields.some((field) => field.path === path && field.filled >= MIN_FILLED_SHARE));

const rankOf = ({ path, timeFormat }: Field): number => {
  if (timeFormat === 'year') return 2;
  return Number(LATER_NAME.test(path.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1_$2').toLowerCase()));
};

/**
 * Returns the field with the time of the records: for feed items, the time by which the feed is sorted; otherwise a
 * time that is neither an end nor a change, else an end or a change, else a year. Among several such fields, returns
 * the one that most records have. Returns undefined if none of them has a value in at least half of the records.
 */
export const recordTimeOf = (fields: readonly Field[]): RecordTime | undefined => {
  if (areFeedItems(fields)) return FEED_TIME;
  const [field] = fields
    .filter(({ type, filled }) => (type === 'date' || type === 'dateTime') && filled >= MIN_FILLED_SHARE)
    .toSorted((a, b) => rankOf(a) - rankOf(b) || b.filled - a.filled);
  return field === undefined ? undefined : { path: field.path, format: field.timeFormat };
};
