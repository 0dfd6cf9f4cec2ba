/** Parts of a time in UTC that `datetimeExtract` and `timestampExtract` can extract. */
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
