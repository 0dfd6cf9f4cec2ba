import { scanValue } from '../../platform/json/json-text.ts';
import {
  functionBundleSchema,
  publishedFunctionSchema,
  type FunctionConfiguration,
  type PublishedFunction,
  type RunOutcome,
} from '../../wire/functions.ts';
import type { NamedBundle } from '../../wire/query.ts';
import type { FunctionHost, FunctionSession, FunctionTarget, SessionReport, Step } from './execution.ts';
import { InputTooLarge, readAll, readNew, type Input, type InputParts } from './input.ts';
import { readOutput } from './output.ts';
import type { Walker } from './pending.ts';
import { beyondApproval, type Cursor } from './rules.ts';
import { named } from './views.ts';

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
  /** `nothing`: there was nothing to hand over; `held`: somebody said that it is not to be handed over. */
  sent: 'sent' | 'nothing' | 'held';
  report: SessionReport;
};

class Failed extends Error {
  readonly outcome: Exclude<RunOutcome, 'stopped' | 'done'>;
  constructor(outcome: Exclude<RunOutcome, 'stopped' | 'done'>, message: string) {
    super(message);
    this.outcome = outcome;
  }
}

const textOf = (step: Step): string => {
  if (step.outcome === 'done') return step.text;
  throw new Failed(step.outcome, step.message);
};

/** Of another's making: depth, keys and size are looked at before anything walks it. */
const parsed = (text: string, what: string): unknown => {
  const scan = scanValue(Buffer.from(text));
  if (!scan.ok) throw new Failed('output', `${what} cannot be read: ${scan.cause}.`);
  return JSON.parse(scan.text);
};

const bundleOf = (id: string, text: string): NamedBundle => {
  const found = functionBundleSchema.safeParse(parsed(text, 'The bundle that it asks for'));
  if (found.success) return named(id, found.data);
  const issue = found.error.issues[0];
  throw new Failed('output', `The bundle that it asks for is none: ${issue?.path.join('.')} ${issue?.message}`);
};

/** What a function publishes of itself. */
export const askConfiguration = async (
  host: FunctionHost,
  target: FunctionTarget,
  signal?: AbortSignal,
): Promise<{ ok: true; published: PublishedFunction } | { ok: false; outcome: string; problem: string }> => {
  const session = host.open(target, signal);
  try {
    const found = publishedFunctionSchema.safeParse(
      parsed(textOf(await session.configuration()), 'What it publishes of itself'),
    );
    if (!found.success) {
      const issue = found.error.issues[0];
      throw new Failed(
        'output',
        `What it publishes of itself is not sound: ${issue?.path.join('.')} ${issue?.message}`,
      );
    }
    if (found.data.id !== target.id)
      throw new Failed('output', `It calls itself ${found.data.id}, and is registered as ${target.id}.`);
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
): Promise<Input> => {
  const { from, upToEvent, oneChain } = order;
  const request = { who, configuration, bundle: bundle.bundle };
  if (!order.all) return readNew(parts, { ...request, from, upToEvent, oneChain });
  const between = await parts.pending.causes(who, from, upToEvent);
  const read = await readAll(parts, request);
  const cursor: Cursor = { kind: 'events', after: upToEvent, within: null };
  return { ...read, ...between, cursor, more: false, notes: [] };
};

/** @param before hears of the input before it leaves; false: it is not to be handed over */
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
  try {
    found.bundle = bundleOf(who.id, textOf(await session.dataBundle(order.window)));
    const beyond = beyondApproval(found.bundle.bundle, approved.bundle);
    if (beyond !== undefined) throw new Failed('error', `It asks for ${beyond}, which it does not say that it reads.`);
    found.input = await inputOf(parts, subject, found.bundle, order);
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
