import type { z } from 'zod';
import { languageOf } from './accept-language.ts';
import { Failure } from '../../failure.ts';
import { translateMessage, describeIssueInGerman } from './validation-messages-de.ts';
import { describeIssue } from './validation-messages.ts';

/** Maximum number of problems in a response. A batch can contain a thousand invalid entries. */
const MAX_DETAILS = 20;

const translateIssues = (
  schema: z.ZodType,
  value: unknown,
  issues: readonly z.core.$ZodIssue[],
): string[] | undefined => {
  const germanIssues = schema.safeParse(value, { error: describeIssueInGerman }).error?.issues ?? [];
  // A message that is equal in both languages is a custom message of the schema.
  const problems = issues.map(({ message }, index) => {
    const germanMessage = germanIssues[index]?.message;
    return germanMessage === message ? translateMessage(message) : germanMessage;
  });
  return problems.every((problem) => problem !== undefined) ? problems : undefined;
};

/**
 * Returns the parsed value.
 * @param acceptLanguage if it prefers German, problems are in German, unless one of them has no translation
 * @throws Failure invalid_input
 */
export const validate = <Schema extends z.ZodType>(
  location: 'path' | 'query' | 'headers' | 'body',
  schema: Schema,
  value: unknown,
  acceptLanguage?: string,
): z.output<Schema> => {
  const result = schema.safeParse(value, { error: describeIssue });
  if (result.success) return result.data;
  const issues = result.error.issues.slice(0, MAX_DETAILS);
  const translatedProblems = languageOf(acceptLanguage) === 'de' ? translateIssues(schema, value, issues) : undefined;
  const details = issues.map((issue, index) => ({
    path: [location, ...issue.path.map(String)].join('.'),
    problem: translatedProblems?.[index] ?? issue.message,
  }));
  const firstDetail = details[0];
  throw new Failure(
    'invalid_input',
    firstDetail === undefined ? 'The request is not valid.' : `${firstDetail.path}: ${firstDetail.problem}`,
    { details, ...(translatedProblems === undefined ? {} : { headers: { 'content-language': 'de' } }) },
  );
};

/** Limits the time that validation takes, because a URL can contain thousands of parameters. */
const MAX_PARAMETERS = 400;

/**
 * Parses a query string. A repeated key becomes an array.
 * @throws Failure invalid_input if there are too many parameters, or for the name `__proto__`
 */
export const parseQuery = (search: string): Record<string, string | string[]> => {
  const parameters: Record<string, string | string[]> = Object.create(null);
  const refuse = (problem: string): never => {
    throw new Failure('invalid_input', `query: ${problem}`, { details: [{ path: 'query', problem }] });
  };
  let count = 1;
  for (let index = search.indexOf('&'); index !== -1; index = search.indexOf('&', index + 1)) count += 1;
  if (count > MAX_PARAMETERS) refuse(`has more than ${MAX_PARAMETERS} parameters`);
  for (const [key, value] of new URLSearchParams(search)) {
    // Zod would drop it, and a read would return records that the condition excludes.
    if (key === '__proto__') refuse('the name "__proto__" is not allowed');
    const existing = parameters[key];
    if (existing === undefined) parameters[key] = value;
    else if (Array.isArray(existing)) existing.push(value);
    else parameters[key] = [existing, value];
  }
  return parameters;
};
