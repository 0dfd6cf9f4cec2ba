import type { z } from 'zod';

const FORMATS: Readonly<Record<string, string>> = {
  uuid: 'a valid id',
  url: 'a complete web address, such as https://example.org',
  email: 'a complete email address, such as name@example.org',
  datetime: 'a date with a time, such as 2026-03-01T12:00:00Z',
  date: 'a date, such as 2026-03-01',
  time: 'a time, such as 12:00',
  base64: 'base64',
  base64url: 'base64url',
  jwt: 'a token',
};

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

const UNITS: Readonly<Record<string, readonly [singular: string, plural: string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
  set: ['entry', 'entries'],
  map: ['entry', 'entries'],
  file: ['byte', 'bytes'],
};

const formatLimit = (limit: number | bigint, origin: string): string => {
  const unit = UNITS[origin];
  return unit === undefined ? String(limit) : `${limit} ${Number(limit) === 1 ? unit[0] : unit[1]}`;
};

const hasUnit = (origin: string): boolean => UNITS[origin] !== undefined;

/** Returns the first problem of a value, with its path: `info.name: is missing`. */
export const describeFirstIssue = ({ issues: [issue] }: z.ZodError): string =>
  [issue?.path.join('.'), issue?.message].filter(Boolean).join(': ');

/** Error map for zod in plain words. A schema's custom message takes precedence. */
export const describeIssue = (issue: z.core.$ZodRawIssue): string => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case 'invalid_format':
      if (issue.format === 'starts_with') return `must begin with ${JSON.stringify(issue['prefix'])}`;
      if (issue.format === 'ends_with') return `must end with ${JSON.stringify(issue['suffix'])}`;
      return FORMATS[issue.format] === undefined ? 'is not in the right format' : `must be ${FORMATS[issue.format]}`;
    case 'invalid_value': {
      const values = issue.values.map((value) => JSON.stringify(value) ?? String(value));
      return values.length === 1 ? `must be ${values[0]}` : `must be one of ${values.join(', ')}`;
    }
    case 'too_big': {
      const limit = formatLimit(issue.maximum, issue.origin);
      if (issue.exact === true) return `must have exactly ${limit}`;
      return hasUnit(issue.origin)
        ? `must have at most ${limit}`
        : `must be ${issue.inclusive === false ? 'less than' : 'at most'} ${limit}`;
    }
    case 'too_small': {
      if (issue.input === '') return 'is empty';
      const limit = formatLimit(issue.minimum, issue.origin);
      if (issue.exact === true) return `must have exactly ${limit}`;
      return hasUnit(issue.origin)
        ? `must have at least ${limit}`
        : `must be ${issue.inclusive === false ? 'more than' : 'at least'} ${limit}`;
    }
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return `has the unknown ${issue.keys.length === 1 ? 'property' : 'properties'} ${issue.keys
        .map((key) => JSON.stringify(key))
        .join(', ')}`;
    default:
      return 'is not valid';
  }
};
