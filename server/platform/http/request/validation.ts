import type { z } from 'zod';
import { languageOf } from './accept-language.ts';
import { Failure } from '../../failure.ts';
import { ownMessageInGerman, plainProblemInGerman } from './validation-messages-de.ts';
import { plainProblem } from './validation-messages.ts';

/** Details of a refusal are for a person; a thousand broken batch entries need not all be listed. */
const MAX_DETAILS = 20;

/** The same problems in German; undefined when a schema has a message of its own that is not translated. */
const inGerman = (schema: z.ZodType, value: unknown, issues: readonly z.core.$ZodIssue[]): string[] | undefined => {
  const german = schema.safeParse(value, { error: plainProblemInGerman }).error?.issues ?? [];
  // A message that is the same in both languages is the schema's own.
  const problems = issues.map(({ message }, index) => {
    const other = german[index]?.message;
    return other === message ? ownMessageInGerman(message) : other;
  });
  return problems.every((problem) => problem !== undefined) ? problems : undefined;
};

/**
 * Checks one part of a request.
 * @param acceptLanguage the header of the request: problems are worded in German where it prefers that, and `content-language` says so
 * @throws Failure invalid_input with the path and the problem of each finding
 */
export const validate = (
  part: 'path' | 'query' | 'headers' | 'body',
  schema: z.ZodType,
  value: unknown,
  acceptLanguage?: string,
): unknown => {
  const result = schema.safeParse(value, { error: plainProblem });
  if (result.success) return result.data;
  const issues = result.error.issues.slice(0, MAX_DETAILS);
  const translated = languageOf(acceptLanguage) === 'de' ? inGerman(schema, value, issues) : undefined;
  const details = issues.map((issue, index) => ({
    path: [part, ...issue.path.map(String)].join('.'),
    problem: translated?.[index] ?? issue.message,
  }));
  const first = details[0];
  throw new Failure(
    'invalid_input',
    first === undefined ? 'The request is not valid.' : `${first.path}: ${first.problem}`,
    { details, ...(translated === undefined ? {} : { headers: { 'content-language': 'de' } }) },
  );
};

/** Parameters of one query. As many as fit into the headers would take milliseconds to check. */
const MAX_PARAMETERS = 400;

/** A query string as an object; a key that is repeated becomes an array. @throws Failure invalid_input when there are more than anything here takes */
export const parseQuery = (search: string): Record<string, string | string[]> => {
  const result: Record<string, string | string[]> = Object.create(null);
  let count = 1;
  for (let at = search.indexOf('&'); at !== -1; at = search.indexOf('&', at + 1)) count += 1;
  if (count > MAX_PARAMETERS) {
    throw new Failure('invalid_input', `query: has more than ${MAX_PARAMETERS} parameters`, {
      details: [{ path: 'query', problem: `has more than ${MAX_PARAMETERS} parameters` }],
    });
  }
  for (const [key, value] of new URLSearchParams(search)) {
    const before = result[key];
    if (before === undefined) result[key] = value;
    else if (Array.isArray(before)) before.push(value);
    else result[key] = [before, value];
  }
  return result;
};
