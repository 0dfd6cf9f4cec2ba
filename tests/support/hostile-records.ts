import type { OwnerClient } from './import-over-http.ts';

// The records that are most expensive to read. Each request body is just below the size limit (10 MB), unless the
// records are expensive for a reason other than their size.

const NEAR_LIMIT_BYTES = 9_500_000;
const fill = (unit: string, bytes = NEAR_LIMIT_BYTES): string =>
  unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)));

const nestedArrays = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

/** Number of requests that store the records of a name; 1 if not listed. */
export const HOSTILE_REQUEST_COUNTS: Readonly<Record<string, number>> = { 'many-tiny-records': 5 };

/** Request bodies that store the records, by name: one record or an array. */
export const HOSTILE_RECORDS: Readonly<Record<string, () => string>> = {
  'long-arrays': () => `{"a":[${fill('"",')}""],"s":"a"}`,
  'empty-objects': () => `{"a":[${fill('{},')}{}],"s":"b"}`,
  'deep-nesting': () => `{"a":[${fill(`${nestedArrays(90)},`)}[]],"s":"c"}`,
  'combining-marks': () => `{"a":"e${fill('\u0301\u0323')}","s":"d"}`,
  'one-character-becomes-eighteen': () => `{"a":"${fill('\ufdfa')}","s":"e"}`,
  'one-name': () => `{"${fill('k', 9_000_000)}":1,"a":1,"s":"f"}`,
  'many-names': () => {
    const names = Array.from({ length: 800_000 }, (_, index) => `"k${index.toString(36)}":0`);
    return `{${names.join(',')},"a":2,"s":"g"}`;
  },
  // The record is small enough for the inference of its field types.
  'backtracking-link': () => `{"a":"http://${fill('.png?', 1_000_000)} ","s":"l"}`,
  'one-string': () => `{"a":"${fill('ä')}","s":"h"}`,
  'many-numbers': () => `{"a":[${fill('1,')}12345678901234567890],"s":"i"}`,
  'many-tiny-records': () => `[${Array.from({ length: 9_999 }, () => '{"a":[],"s":""}').join(',')}]`,
  'records-of-a-page': () =>
    `[${Array.from({ length: 9 }, () => `{"a":"${fill('x', 1_000_000)}","s":"j"}`).join(',')}]`,
  'feed-items': () =>
    `{"source":"x","date":{"iso":"2026-01-01T00:00:00Z","unix":1767225600},"types":["x"],"title":{"text":"x"},"content":{"text":"${fill('y')}"},"a":1,"s":"k"}`,
};

export const HOSTILE_RECORD_NAMES = Object.keys(HOSTILE_RECORDS);

/**
 * Stores the records of a name again, with `skipErrors`. Returns the status of the response.
 * @throws {Error} if a record was stored although it is equal to an existing one
 */
export const storeAgain = async (server: OwnerClient, name: string, token: string): Promise<number> => {
  const { status, text } = await server.call('POST', `/api/v2.6/data/worst/${name}?skipErrors=true`, {
    body: HOSTILE_RECORDS[name]?.() ?? '',
    headers: { 'x-auth-token': token },
  });
  if (status === 201 && text !== '[]') throw new Error(`${name}: an equal record was stored`);
  return status;
};

const TABLE_FILTERS = [
  { is: 'contains', field: 's', text: 'x' },
  { is: 'range', field: 'a', max: 5 },
];
const TABLE_SORTS = [
  { field: 'a', descending: true },
  { field: 'a"b', descending: false },
];

/** Expensive reads of the record table. @param endpoint query parameter of the endpoint */
export const tableQueries = (endpoint: string): string[] => [
  `record-facets?${endpoint}&field=s`,
  `records?${endpoint}&take=5&filters=${encodeURIComponent(JSON.stringify(TABLE_FILTERS))}&sorts=${encodeURIComponent(JSON.stringify(TABLE_SORTS))}`,
];
