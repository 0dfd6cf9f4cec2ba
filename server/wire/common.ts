import { z } from 'zod';
import { unixMsOf } from './iso-8601.ts';
import { DEFAULT_TAKE, MAX_PATH_NAME_CHARS } from './limits.ts';

export const NOT_WELL_FORMED = 'contains an unpaired surrogate (half of a character)';
export const wellFormedText = z.string().refine((text) => text.isWellFormed(), NOT_WELL_FORMED);

/** Items without an id are ignored. */
export const hasUniqueIds = (items: readonly { id?: string | undefined }[]): boolean => {
  const ids = items.flatMap(({ id }) => id ?? []);
  return new Set(ids).size === ids.length;
};
export const NOT_UNIQUE_IDS = 'must contain each id only once';

export const isTextWithoutNul = (text: string): boolean => !text.includes('\0') && text.isWellFormed();
export const NOT_TEXT_WITHOUT_NUL = 'must not contain NUL or unpaired surrogates';

/** Accepts everything, because the JSON scanner has already checked the text. */
export const jsonSchema = z.unknown().meta({ id: 'Json', description: 'Any JSON value' });

/** ISO 8601, in UTC. */
export const dateTimeSchema = z.iso.datetime().meta({ example: '2026-01-31T09:30:00.000Z' });

/** Unix milliseconds, the exchange's time format. */
export const unixMs = z.int().min(0);

/** Unix milliseconds, negative for times before 1970. */
export const unixTimeSchema = z.int().meta({ description: 'Unix time in milliseconds' });

const DATE_EXPECTED = 'must be an ISO 8601 date and time such as 2026-01-31T09:30:00Z';
const TIME_EXPECTED = `${DATE_EXPECTED}, or Unix milliseconds`;

/** An ISO 8601 date with an optional time, in UTC if it has no offset. The output is Unix milliseconds. */
export const dateInput = z
  .string({ error: DATE_EXPECTED })
  .transform((text) => unixMsOf(text) ?? Number.NaN)
  .pipe(z.int({ error: DATE_EXPECTED }))
  .meta({ format: 'date-time' });

/** Accepts an ISO 8601 date or Unix milliseconds. The output and both bounds are Unix milliseconds. */
export const timeInput = (first: number, last: number) => {
  const [firstYear, lastYear] = [first, last].map((ms) => new Date(ms).getUTCFullYear());
  const range = `must be between the years ${firstYear} and ${lastYear}`;
  return z
    .union(
      [z.number().meta({ type: 'integer', minimum: first, maximum: last }), z.string().meta({ format: 'date-time' })],
      { error: TIME_EXPECTED },
    )
    .transform((input) => (typeof input === 'number' ? input : (unixMsOf(input) ?? Number.NaN)))
    .pipe(z.int({ error: TIME_EXPECTED }).min(first, range).max(last, range));
};

/** Last millisecond of the year 9999. Later years have more than four digits. */
export const LAST_DATE_MS = 253_402_300_799_999;

const isTimeZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};

/** IANA time zone, such as `Europe/Berlin`. Default: UTC. */
export const timeZoneSchema = z
  .string()
  .max(100)
  .refine(isTimeZone, 'must be a time zone such as Europe/Berlin')
  .default('UTC');

/** Version of an application or function. */
export const versionSchema = z
  .string()
  .regex(/^(?:0|[1-9]\d{0,8})(?:\.(?:0|[1-9]\d{0,8})){2}$/u, 'must be three numbers separated by dots');

export const messageSchema = z.strictObject({ message: z.string() }).meta({ id: 'Message' });

const SEGMENT = String.raw`(?!\.{1,2}(?:/|$))[\p{L}\p{N}\p{M}\-._~]+`;
const PATH_NAME = new RegExp(`^${SEGMENT}(?:/${SEGMENT})*$`, 'u');
const KEY_SEGMENT = String.raw`(?!\.{1,2}(?:/|$))[^/\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]+`;
const KEY_NAME = new RegExp(`^${KEY_SEGMENT}(?:/${KEY_SEGMENT})*$`, 'u');
const NAMESPACE = new RegExp(`^${SEGMENT}$`, 'u');

/** Endpoint path after the namespace: 1 to 200 characters, letters, digits and `-._~/`, no empty or dot segments. */
export const endpointPathSchema = z
  .string()
  .min(1)
  .max(MAX_PATH_NAME_CHARS)
  .regex(PATH_NAME, 'use letters, digits and - . _ ~ /, without empty or dot segments');

/**
 * Key or name in a path, such as a Data Debit key ("any valid URL path"): 1 to 200 characters, percent-encoded where
 * needed. May contain slashes. Refuses empty and dot segments, control characters, including bidirectional ones, line
 * and paragraph separators, and unpaired surrogates.
 */
export const pathNameSchema = z
  .string()
  .min(1)
  .max(MAX_PATH_NAME_CHARS)
  .regex(KEY_NAME, 'use no control characters and no empty or dot segments');

export const namespaceSchema = z
  .string()
  .min(1)
  .max(MAX_PATH_NAME_CHARS)
  .regex(NAMESPACE, 'use letters, digits and - . _ ~');

/** `<namespace>/<endpoint_root>/<endpoint_part>`: a namespace and at least one more segment. */
export const endpointSchema = z
  .string()
  .min(3)
  .max(2 * MAX_PATH_NAME_CHARS + 1)
  .regex(
    new RegExp(`^${SEGMENT}(?:/${SEGMENT})+$`, 'u'),
    'must be <namespace>/<endpoint>, with letters, digits and - . _ ~',
  )
  // The limits of a path also apply here, so that records of a batch are addressable.
  .refine((endpoint) => {
    const slash = endpoint.indexOf('/');
    return slash <= MAX_PATH_NAME_CHARS && endpoint.length - slash - 1 <= MAX_PATH_NAME_CHARS;
  }, `namespace and endpoint must each have at most ${MAX_PATH_NAME_CHARS} characters`)
  .meta({ example: 'fitness/steps/daily' });

const MAX_WHOLE_NUMBER = 999_999_999_999_999;

export const wholeNumber = z
  .string()
  .regex(/^\d{1,100}$/u, 'must be a whole number, 0 or more')
  // Larger numbers have the same effect as the maximum.
  .transform((digits) => Math.min(Number(digits), MAX_WHOLE_NUMBER));

export const pagingQuery = {
  skip: wholeNumber.default(0),
  take: wholeNumber.default(DEFAULT_TAKE),
  orderBy: z.string().max(500).optional(),
  ordering: z
    .string()
    .optional()
    .meta({ description: '`descending` reverses the order; any other value means ascending' }),
};
