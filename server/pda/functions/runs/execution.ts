import { describeFirstIssue, describeIssue } from '../../../platform/http/request/validation-messages.ts';
import { scanValue } from '../../../platform/json/text.ts';
import {
  functionBundleSchema,
  functionResponseSchema,
  type FunctionConfiguration,
  type PublishedFunction,
} from '../../../wire/functions.ts';
import { MAX_FUNCTION_PUBLISHED_BYTES, MAX_FUNCTION_RUN_MS } from '../../../wire/limits.ts';
import type { Bundle, NamedBundle } from '../../../wire/query.ts';
import {
  toMessageLine,
  type FunctionHost,
  type FunctionSession,
  type FunctionTarget,
  type SessionReport,
  type Step,
  type StepOutcome,
} from './function-host.ts';
import { InputTooLarge, readAll, readNew, type Input, type InputParts } from './input.ts';
import { parseOutput } from './output.ts';
import type { FeedConsumer } from './change-feed-reader.ts';
import { findUnapprovedRead, type Cursor } from '../rules.ts';
import { withBundleName } from '../catalogue/mapping.ts';

/** ISO 8601 times. `fromDate` is absent until a run has succeeded. */
export type Window = { fromDate?: string; untilDate: string };

export type RunSubject = {
  consumer: FeedConsumer;
  target: FunctionTarget;
  configuration: FunctionConfiguration;
  /** The bundle that the owner approved; without a current approval, the published bundle. No run reads more. */
  approvedBundle: NamedBundle;
  endpoint: string;
};

export type RunRequest = {
  window: Window;
  from: Cursor;
  upToEvent: number;
  /** Reads all records of the bundle instead of only the changes. */
  readAll: boolean;
  /** True if the function always reads all records, so that no change stays pending after a run. */
  alwaysReadsAll: boolean;
  /** Limits the input to records with the same causal chain, unless `readAll` is true. */
  isSingleChain: boolean;
  /** Calls the function even if the input is empty. */
  runOnEmptyInput: boolean;
};

export type Execution = {
  outcome: StepOutcome;
  message: string | null;
  bundle: NamedBundle | undefined;
  input: Input | undefined;
  /** Records to store, and the unparsed output. */
  output: { data: Buffer[]; text: string } | undefined;
  /** `sent`: to the function; `empty`: no input, or an earlier failure; `cancelled`: `onInput` returned false. */
  delivery: 'sent' | 'empty' | 'cancelled';
  report: SessionReport;
};

class RunFailed extends Error {
  readonly outcome: Exclude<StepOutcome, 'done'>;
  /** @param message may contain text from the function */
  constructor(outcome: Exclude<StepOutcome, 'done'>, message: string) {
    super(toMessageLine(message));
    this.outcome = outcome;
  }
}

const textOf = (step: Step): string => {
  if (step.outcome === 'done') return step.text;
  throw new RunFailed(step.outcome, step.message);
};

/** Checks size, depth and keys before parsing. @param label names the text in error messages @throws RunFailed */
const parseUntrusted = (text: string, label: string): unknown => {
  const bytes = Buffer.from(text);
  if (bytes.length > MAX_FUNCTION_PUBLISHED_BYTES)
    throw new RunFailed(
      'output',
      `${label} has ${bytes.length} bytes, more than the limit of ${MAX_FUNCTION_PUBLISHED_BYTES}.`,
    );
  const scan = scanValue(bytes);
  if (!scan.ok) throw new RunFailed('output', `${label} is not valid JSON: ${scan.cause}.`);
  return JSON.parse(scan.text);
};

const bundleOf = (id: string, text: string): NamedBundle => {
  const result = functionBundleSchema.safeParse(parseUntrusted(text, 'The requested bundle'), { error: describeIssue });
  if (result.success) return withBundleName(id, result.data);
  throw new RunFailed('output', `The requested bundle is invalid: ${describeFirstIssue(result.error)}`);
};

/** Time limit for a request for the configuration of a function. The installation and queued runs wait for it. */
const CONFIGURATION_TIMEOUT_MS = 30_000;

export const requestConfiguration = async (
  host: FunctionHost,
  target: FunctionTarget,
  signal?: AbortSignal,
): Promise<{ ok: true; published: PublishedFunction } | { ok: false; problem: string }> => {
  const session = host.open({ ...target, timeoutMs: Math.min(target.timeoutMs, CONFIGURATION_TIMEOUT_MS) }, signal);
  try {
    const result = functionResponseSchema.safeParse(
      parseUntrusted(textOf(await session.configuration()), 'The configuration'),
      { error: describeIssue },
    );
    if (!result.success)
      throw new RunFailed('output', `The configuration is invalid: ${describeFirstIssue(result.error)}`);
    if (result.data.id !== target.id)
      throw new RunFailed(
        'output',
        `The configuration has the id ${result.data.id}, but the function is registered as ${target.id}.`,
      );
    const { version } = result.data.info;
    if (version !== target.version)
      throw new RunFailed(
        'output',
        `The configuration has version ${version}, but the function is registered as ${target.version}.`,
      );
    return { ok: true, published: result.data };
  } catch (error) {
    if (error instanceof RunFailed) return { ok: false, problem: error.message };
    throw error;
  } finally {
    await session.close();
  }
};

const hasLimit = (bundle: Bundle): boolean =>
  Object.values(bundle).some(({ limit }) => limit !== undefined && limit !== null);

const readInput = async (
  parts: InputParts,
  { consumer, configuration }: RunSubject,
  bundle: NamedBundle,
  runRequest: RunRequest,
  throwIfStopped: () => void,
): Promise<Input> => {
  const { from, upToEvent, isSingleChain } = runRequest;
  const request = { consumer, configuration, bundle: bundle.bundle, throwIfStopped };
  if (!runRequest.readAll) return readNew(parts, { ...request, from, upToEvent, isSingleChain });
  const { causes, stoppedInput } = await parts.changeFeed.collectCauses(consumer, from, upToEvent);
  const bundleInput = await readAll(parts, request);
  // A limit can exclude changes, which then stay pending.
  if (!runRequest.alwaysReadsAll && hasLimit(bundle.bundle))
    return { ...bundleInput, causes, stoppedInput: [], cursor: from, hasMore: false, notes: [] };
  const cursor: Cursor = { kind: 'events', after: upToEvent, within: null };
  return { ...bundleInput, causes, stoppedInput, cursor, hasMore: false, notes: [] };
};

/**
 * Executes one run of a function, from its bundle to its output. Stores nothing.
 * @param onInput called before the input is sent; false cancels the run
 * @throws Failure query_limit_exceeded, and errors of `onInput`
 */
export const executeRun = async (
  parts: InputParts & { host: FunctionHost },
  subject: RunSubject,
  request: RunRequest,
  onInput: (input: Input, bundle: NamedBundle) => Promise<boolean>,
  signal: AbortSignal,
): Promise<Execution> => {
  const { consumer, target, approvedBundle, endpoint } = subject;
  const session: FunctionSession = parts.host.open(target, signal);
  const execution: Omit<Execution, 'report'> = {
    outcome: 'done',
    message: null,
    bundle: undefined,
    input: undefined,
    output: undefined,
    delivery: 'empty',
  };
  const startedAt = performance.now();
  const throwIfStopped = (): void => {
    if (signal.aborted) throw new RunFailed('crashed', 'The run was cancelled.');
    if (performance.now() - startedAt > MAX_FUNCTION_RUN_MS)
      throw new RunFailed('time', 'Reading the requested bundle took too long.');
  };
  try {
    execution.bundle = bundleOf(consumer.id, textOf(await session.dataBundle(request.window)));
    const unapprovedRead = findUnapprovedRead(execution.bundle.bundle, approvedBundle.bundle);
    if (unapprovedRead !== undefined)
      throw new RunFailed(
        'error',
        `The function requested ${unapprovedRead}, which its published bundle does not contain.`,
      );
    execution.input = await readInput(parts, subject, execution.bundle, request, throwIfStopped);
    if (execution.input.records > 0 || request.runOnEmptyInput) {
      execution.delivery = (await onInput(execution.input, execution.bundle)) ? 'sent' : 'cancelled';
      if (execution.delivery === 'sent') {
        const text = textOf(await session.process(execution.input.text));
        const output = await parseOutput(text, endpoint);
        if (!output.ok) throw new RunFailed('output', output.problem);
        execution.output = { data: output.data, text };
      }
    }
  } catch (error) {
    if (error instanceof RunFailed) Object.assign(execution, { outcome: error.outcome, message: error.message });
    else if (error instanceof InputTooLarge) Object.assign(execution, { outcome: 'error', message: error.message });
    else {
      await session.close();
      throw error;
    }
  }
  const { peakMemoryBytes, log, durationMs } = await session.close();
  const peakBytes = peakMemoryBytes === undefined ? undefined : Math.round(peakMemoryBytes);
  return { ...execution, report: { log, durationMs: Math.round(durationMs), peakMemoryBytes: peakBytes } };
};
