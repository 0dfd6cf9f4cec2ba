import { z } from 'zod';
import type { SafeFetch, SafeFetchFailure } from '../../../platform/outbound/safe-fetch.ts';
import { MAX_FUNCTION_OUTPUT_BYTES } from '../../../wire/limits.ts';
import {
  toMessageLine,
  type FunctionHost,
  type FunctionSession,
  type FunctionTarget,
  type SessionReport,
  type Step,
  type StepOutcome,
} from '../runs/function-host.ts';

type FailedStep = Extract<Step, { message: string }>;

const OUTCOME_OF: Record<SafeFetchFailure, Exclude<StepOutcome, 'done'>> = {
  timeout: 'time',
  too_large: 'output',
  bad_address: 'error',
  not_public: 'error',
  redirect: 'error',
  unreachable: 'crashed',
  aborted: 'crashed',
};
/** `fromDate` of a first run; the HTTP API of web services requires both dates. */
const FIRST_RUN_FROM_DATE = '1970-01-01T00:00:00.000Z';
const MAX_ERROR_BODY_BYTES = 10_000;

const errorBodySchema = z.looseObject({
  error: z.enum(['memory', 'time', 'error', 'output', 'crashed']).catch('error'),
  cause: z.string().optional(),
  message: z.string().optional(),
});

const failureOf = (status: number, body: Buffer): FailedStep => {
  const result = errorBodySchema.safeParse(tryParse(body));
  const detail = result.success ? (result.data.cause ?? result.data.message ?? '') : '';
  return {
    outcome: result.success ? result.data.error : 'error',
    message: toMessageLine(`The web service returned ${status}${detail === '' ? '.' : `: ${detail}`}`),
  };
};

const tryParse = (body: Buffer): unknown => {
  if (body.length > MAX_ERROR_BODY_BYTES) return undefined;
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
};

const textOf = (body: Buffer): Step => {
  try {
    return { outcome: 'done', text: new TextDecoder('utf-8', { fatal: true }).decode(body) };
  } catch {
    return { outcome: 'output', message: 'The response is not valid UTF-8.' };
  }
};

/**
 * Creates a host of functions that run as web services. Web services are not trusted: `safeFetch` follows no redirects
 * and, except in development, connects only to public addresses.
 */
export const createRemoteHost = (safeFetch: SafeFetch): FunctionHost => ({
  open(target: FunctionTarget, signal?: AbortSignal): FunctionSession {
    const startedAt = performance.now();
    const closeController = new AbortController();
    const abortSignal =
      signal === undefined ? closeController.signal : AbortSignal.any([closeController.signal, signal]);
    const baseUrl = `${target.location.replace(/\/+$/u, '')}/${encodeURIComponent(target.id)}/${target.version}`;
    let failure: FailedStep | undefined;
    let durationMs = 0;
    let report: SessionReport | undefined;

    const request = async (url: string, body?: string): Promise<Step> => {
      const timeoutMs = Math.max(1, Math.floor(startedAt + target.timeoutMs - performance.now()));
      const response = await safeFetch(url, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body }),
        timeoutMs,
        maxBytes: MAX_FUNCTION_OUTPUT_BYTES,
        signal: abortSignal,
      });
      if (!response.ok) return { outcome: OUTCOME_OF[response.failure], message: response.cause };
      if (response.status < 200 || response.status > 299) return failureOf(response.status, response.body);
      return textOf(response.body);
    };

    const runStep = async (url: string, body?: string): Promise<Step> => {
      if (failure !== undefined) return failure;
      const step = await request(url, body);
      durationMs = Math.round(performance.now() - startedAt);
      if (step.outcome !== 'done') failure = step;
      return step;
    };

    return {
      configuration: () => runStep(`${baseUrl}/configuration`),
      dataBundle: (window) =>
        runStep(
          `${baseUrl}/data-bundle?${new URLSearchParams({ fromDate: FIRST_RUN_FROM_DATE, ...window }).toString()}`,
        ),
      process: (requestText) => runStep(baseUrl, requestText),
      close() {
        closeController.abort();
        failure ??= { outcome: 'crashed', message: 'The run has ended.' };
        report ??= { peakMemoryBytes: undefined, log: [], durationMs };
        return Promise.resolve(report);
      },
    };
  },
});
