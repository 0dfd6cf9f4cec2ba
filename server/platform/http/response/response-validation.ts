import { ERROR_STATUS, errorBodySchema, type ErrorCode } from '../../../wire/errors.ts';
import type { Failure } from '../../failure.ts';
import type { Answer, Route } from '../route.ts';

/**
 * In tests each answer is held against its declaration: a status or a field that the route does not declare is a defect of
 * the document that others build on, so it fails the request instead of slipping through.
 */

/** Failures that follow from what a route takes, without being named by it. */
export const impliedErrors = (route: Route): ErrorCode[] => {
  const implied: ErrorCode[] = ['internal_error', 'unavailable', 'misdirected_request', 'rate_limited'];
  if (route.access.want !== 'nothing' && route.identify === undefined) implied.push('not_authenticated');
  if (route.access.want !== 'nothing' && route.access.want !== 'token') implied.push('forbidden');
  if (route.params ?? route.query ?? route.headers ?? route.body) implied.push('invalid_input');
  if (route.body !== undefined) implied.push('too_large', 'unsupported_media_type');
  if (route.body?.as === 'json' || route.body?.as === 'json-text') implied.push('invalid_json');
  // Also a call that only reads, when its record cannot be made.
  if (route.method !== 'GET' || route.access.want !== 'nothing') implied.push('out_of_disk');
  if (route.beforeSetup !== true) implied.push('not_set_up', 'setup_only_local');
  return implied;
};

export const declaredErrors = (route: Route): ErrorCode[] => [
  ...new Set([...impliedErrors(route), ...(route.errors ?? [])]),
];

export class UndeclaredAnswer extends Error {}

export const checkFailure = (route: Route, failure: Failure): void => {
  const declared = declaredErrors(route);
  if (!declared.includes(failure.code)) {
    throw new UndeclaredAnswer(
      `${route.method} ${route.path} does not declare ${failure.code} (${ERROR_STATUS[failure.code]})`,
    );
  }
  errorBodySchema.parse(failure.toBody('check'));
};

const checkBody = (route: Route, status: number, text: string): void => {
  const spec = route.responses[status];
  if (spec?.schema === undefined) return;
  const result = spec.schema.safeParse(JSON.parse(text));
  if (!result.success) {
    throw new UndeclaredAnswer(
      `${route.method} ${route.path} ${status}: ${JSON.stringify(result.error.issues.slice(0, 3))}`,
    );
  }
};

/** The same answer, checked; a stream is gathered and checked at its end. */
export const checkedAnswer = async (route: Route, answer: Answer): Promise<Answer> => {
  if (route.responses[answer.status] === undefined) {
    throw new UndeclaredAnswer(`${route.method} ${route.path} does not declare ${answer.status}`);
  }
  if (answer.json !== undefined) checkBody(route, answer.status, JSON.stringify(answer.json));
  if (answer.text !== undefined) checkBody(route, answer.status, answer.text.toString());
  if (answer.stream === undefined || route.responses[answer.status]?.schema === undefined) return answer;
  const parts: Buffer[] = [];
  for await (const part of answer.stream) parts.push(Buffer.from(part));
  const text = Buffer.concat(parts);
  checkBody(route, answer.status, text.toString());
  const { stream: _, ...rest } = answer;
  return { ...rest, text };
};
