/** Parts that `datetimeExtract` and `timestampExtract` can extract from a time, in UTC. */
export const DATE_PARTS = [
  'century',
  'day',
  'decade',
  'dow',
  'doy',
  'epoch',
  'hour',
  'isodow',
  'isoyear',
  'microseconds',
  'millennium',
  'milliseconds',
  'minute',
  'month',
  'quarter',
  'second',
  'timezone',
  'timezone_hour',
  'timezone_minute',
  'week',
  'year',
] as const;

export type DatePart = (typeof DATE_PARTS)[number];
