import type { z } from 'zod';
import { scanValue } from '../../../platform/json/text.ts';
import {
  functionBundleSchema,
  functionAnswerSchema,
  type FunctionConfiguration,
  type PublishedFunction,
  type RunOutcome,
} from '../../../wire/functions.ts';
import { MAX_FUNCTION_PUBLISHED_BYTES, MAX_FUNCTION_RUN_MS } from '../../../wire/limits.ts';
import type { NamedBundle } from '../../../wire/query.ts';
import type { FunctionHost, FunctionSession, FunctionTarget, SessionReport, Step } from './function-host.ts';
import { InputTooLarge, readAll, readNew, type Input, type InputParts } from './input.ts';
import { oneLine } from './single-line.ts';
import { readOutput } from './output.ts';
import type { Walker } from './change-feed-reader.ts';
import { beyondApproval, type Cursor } from '../rules.ts';
import { named } from '../catalogue/mapping.ts';

/** One function asked once, from its bundle to its answer. Nothing is stored here: what becomes of the answer is for others to say. */

export type Window = { fromDate?: string; untilDate: string };

export type Subject = {
  who: Walker;
  target: FunctionTarget;
  configuration: FunctionConfiguration;
  /** What no run gets more than. */
  approved: NamedBundle;
  endpoint: string;
};

export type Order = {
  window: Window;
  from: Cursor;
  upToEvent: number;
  /** Reads the bundle as it is, whatever came since. */
  all: boolean;
  oneChain: boolean;
  /** Goes on when there is nothing to hand over. */
  always: boolean;
};

export type Attempt = {
  outcome: Exclude<RunOutcome, 'stopped'>;
  message: string | null;
  bundle: NamedBundle | undefined;
  input: Input | undefined;
  /** The records to store, and the answer as it came. */
  output: { data: Buffer[]; text: string } | undefined;
  /** `nothing`: the input was empty; `held`: `before` refused to send it. */
  sent: 'sent' | 'nothing' | 'held';
  report: SessionReport;
};

class Failed extends Error {
  readonly outcome: Exclude<RunOutcome, 'stopped' | 'done'>;
  /** @param message may hold words of the function's own */
  constructor(outcome: Exclude<RunOutcome, 'stopped' | 'done'>, message: string) {
    super(oneLine(message));
    this.outcome = outcome;
  }
}

const textOf = (step: Step): string => {
  if (step.outcome === 'done') return step.text;
  throw new Failed(step.outcome, step.message);
};

/** Of another's making: depth, keys and size are looked at before anything walks it. */
const parsed = (text: string, what: string): unknown => {
  const bytes = Buffer.from(text);
  if (bytes.length > MAX_FUNCTION_PUBLISHED_BYTES)
    throw new Failed(
      'output',
      `${what} has ${bytes.length} bytes, more than the ${MAX_FUNCTION_PUBLISHED_BYTES} that are taken.`,
    );
  const scan = scanValue(bytes);
  if (!scan.ok) throw new Failed('output', `${what} cannot be read: ${scan.cause}.`);
  return JSON.parse(scan.text);
};

const problemOf = ({ issues: [issue] }: z.ZodError): string =>
  [issue?.path.join('.'), issue?.message].filter(Boolean).join(' ');

const bundleOf = (id: string, text: string): NamedBundle => {
  const found = functionBundleSchema.safeParse(parsed(text, 'The bundle that it asks for'));
  if (found.success) return named(id, found.data);
  throw new Failed('output', `The bundle that it asks for is none: ${problemOf(found.error)}`);
};

/** Milliseconds for a function to describe itself; the installation and queued runs wait for it. */
const ASKED_MS = 30_000;

/** What a function publishes of itself. */
export const askConfiguration = async (
  host: FunctionHost,
  target: FunctionTarget,
  signal?: AbortSignal,
): Promise<{ ok: true; published: PublishedFunction } | { ok: false; outcome: string; problem: string }> => {
  const session = host.open({ ...target, timeoutMs: Math.min(target.timeoutMs, ASKED_MS) }, signal);
  try {
    const found = functionAnswerSchema.safeParse(
      parsed(textOf(await session.configuration()), 'What it publishes of itself'),
    );
    if (!found.success)
      throw new Failed('output', `What it publishes of itself is not sound: ${problemOf(found.error)}`);
    if (found.data.id !== target.id)
      throw new Failed('output', `It calls itself ${found.data.id}, and is registered as ${target.id}.`);
    const { version } = found.data.info;
    if (version !== target.version)
      throw new Failed('output', `It says that it is version ${version}, and is registered as ${target.version}.`);
    return { ok: true, published: found.data };
  } catch (error) {
    if (error instanceof Failed) return { ok: false, outcome: error.outcome, problem: error.message };
    throw error;
  } finally {
    await session.close();
  }
};

const inputOf = async (
  parts: InputParts,
  { who, configuration }: Subject,
  bundle: NamedBundle,
  order: Order,
  mayGoOn: () => void,
): Promise<Input> => {
  const { from, upToEvent, oneChain } = order;
  const request = { who, configuration, bundle: bundle.bundle, mayGoOn };
  if (!order.all) return readNew(parts, { ...request, from, upToEvent, oneChain });
  const between = await parts.pending.causes(who, from, upToEvent);
  const read = await readAll(parts, request);
  const cursor: Cursor = { kind: 'events', after: upToEvent, within: null };
  return { ...read, ...between, cursor, more: false, notes: [] };
};

/** @param before called with the input before it is sent; false cancels the run */
export const attempt = async (
  parts: InputParts & { host: FunctionHost },
  subject: Subject,
  order: Order,
  before: (input: Input, bundle: NamedBundle) => Promise<boolean>,
  signal: AbortSignal,
): Promise<Attempt> => {
  const { who, target, approved, endpoint } = subject;
  const session: FunctionSession = parts.host.open(target, signal);
  const found: Omit<Attempt, 'report'> = {
    outcome: 'done',
    message: null,
    bundle: undefined,
    input: undefined,
    output: undefined,
    sent: 'nothing',
  };
  const begun = performance.now();
  const mayGoOn = (): void => {
    if (signal.aborted) throw new Failed('crashed', 'It was broken off.');
    if (performance.now() - begun > MAX_FUNCTION_RUN_MS)
      throw new Failed('time', 'What it asks for takes too long to be read.');
  };
  try {
    found.bundle = bundleOf(who.id, textOf(await session.dataBundle(order.window)));
    const beyond = beyondApproval(found.bundle.bundle, approved.bundle);
    if (beyond !== undefined) throw new Failed('error', `It asks for ${beyond}, which it does not say that it reads.`);
    found.input = await inputOf(parts, subject, found.bundle, order, mayGoOn);
    if (found.input.records > 0 || order.always) {
      found.sent = (await before(found.input, found.bundle)) ? 'sent' : 'held';
      if (found.sent === 'sent') {
        const text = textOf(await session.process(found.input.text));
        const output = await readOutput(text, endpoint);
        if (!output.ok) throw new Failed('output', output.problem);
        found.output = { data: output.data, text };
      }
    }
  } catch (error) {
    if (error instanceof Failed) Object.assign(found, { outcome: error.outcome, message: error.message });
    else if (error instanceof InputTooLarge) Object.assign(found, { outcome: 'error', message: error.message });
    else {
      await session.close();
      throw error;
    }
  }
  const { peakMemoryBytes, log, durationMs } = await session.close();
  const whole = peakMemoryBytes === undefined ? undefined : Math.round(peakMemoryBytes);
  return { ...found, report: { log, durationMs: Math.round(durationMs), peakMemoryBytes: whole } };
};
