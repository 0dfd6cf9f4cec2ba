import { z } from 'zod';
import type { SafeFetch, SafeFetchFailure } from '../../../platform/outbound/safe-fetch.ts';
import { MAX_FUNCTION_OUTPUT_BYTES } from '../../../wire/limits.ts';
import type {
  FunctionHost,
  FunctionSession,
  FunctionTarget,
  Outcome,
  SessionReport,
  Step,
} from '../runs/function-host.ts';
import { oneLine } from '../runs/single-line.ts';

/**
 * Functions behind a gateway, in whatever language: three operations over HTTP. What they may take is the same as here: time, the size of
 * the request and of the answer. Nothing of theirs is followed or trusted: no redirects, no addresses but public ones.
 */

type Failed = Extract<Step, { message: string }>;

const OUTCOME_OF: Record<SafeFetchFailure, Exclude<Outcome, 'done'>> = {
  timeout: 'time',
  too_large: 'output',
  bad_address: 'error',
  not_public: 'error',
  redirect: 'error',
  unreachable: 'crashed',
  aborted: 'crashed',
};
/** Bytes of a refusal that are looked at: it says what went wrong in a line. */
/** `fromDate` of a first run: the interface names both dates. */
const THE_BEGINNING = '1970-01-01T00:00:00.000Z';
const MAX_REFUSAL_BYTES = 10_000;

/** A gateway with resource limits can report which one was reached. */
const refusalSchema = z.looseObject({
  error: z.enum(['memory', 'time', 'error', 'output', 'crashed']).catch('error'),
  cause: z.string().optional(),
  message: z.string().optional(),
});

const refusalOf = (status: number, body: Buffer): Failed => {
  const said = refusalSchema.safeParse(parseOrNothing(body));
  const detail = said.success ? (said.data.cause ?? said.data.message ?? '') : '';
  return {
    outcome: said.success ? said.data.error : 'error',
    message: oneLine(`Its gateway answered ${status}${detail === '' ? '.' : `: ${detail}`}`),
  };
};

const parseOrNothing = (body: Buffer): unknown => {
  if (body.length > MAX_REFUSAL_BYTES) return undefined;
  try {
    return JSON.parse(body.toString());
  } catch {
    // Whatever else a gateway answers with an error is not for us.
    return undefined;
  }
};

const textOf = (body: Buffer): Step => {
  try {
    return { outcome: 'done', text: new TextDecoder('utf-8', { fatal: true }).decode(body) };
  } catch {
    return { outcome: 'output', message: 'Its answer is not UTF-8.' };
  }
};

export const createRemoteHost = (safeFetch: SafeFetch): FunctionHost => ({
  open(target: FunctionTarget, signal?: AbortSignal): FunctionSession {
    const begun = performance.now();
    const over = new AbortController();
    const broken = signal === undefined ? over.signal : AbortSignal.any([over.signal, signal]);
    const base = `${target.location.replace(/\/+$/u, '')}/${encodeURIComponent(target.id)}/${target.version}`;
    let failed: Failed | undefined;
    let durationMs = 0;
    let report: SessionReport | undefined;

    const call = async (address: string, body?: string): Promise<Step> => {
      const timeoutMs = Math.max(1, Math.floor(begun + target.timeoutMs - performance.now()));
      const answer = await safeFetch(address, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body }),
        timeoutMs,
        maxBytes: MAX_FUNCTION_OUTPUT_BYTES,
        signal: broken,
      });
      if (!answer.ok) return { outcome: OUTCOME_OF[answer.failure], message: answer.cause };
      if (answer.status < 200 || answer.status > 299) return refusalOf(answer.status, answer.body);
      return textOf(answer.body);
    };

    const step = async (address: string, body?: string): Promise<Step> => {
      if (failed !== undefined) return failed;
      const done = await call(address, body);
      durationMs = Math.round(performance.now() - begun);
      if (done.outcome !== 'done') failed = done;
      return done;
    };

    return {
      configuration: () => step(`${base}/configuration`),
      dataBundle: (window) =>
        step(`${base}/data-bundle?${new URLSearchParams({ fromDate: THE_BEGINNING, ...window }).toString()}`),
      process: (requestText) => step(base, requestText),
      close() {
        over.abort();
        failed ??= { outcome: 'crashed', message: 'The run is over.' };
        report ??= { peakMemoryBytes: undefined, log: [], durationMs };
        return Promise.resolve(report);
      },
    };
  },
});
