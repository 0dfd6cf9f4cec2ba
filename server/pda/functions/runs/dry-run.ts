import type { DryRun } from '../../../wire/functions.ts';
import type { Execution, RunRequest } from './execution.ts';

type DryRunResult = { execution: Execution; request: RunRequest };

const headOf = ({ execution, request }: DryRunResult): Omit<DryRun, 'input' | 'output' | 'records'> => ({
  outcome: execution.outcome === 'done' && execution.delivery !== 'sent' ? null : execution.outcome,
  message: execution.message ?? (execution.input?.notes.join(' ') || null),
  window: { fromDate: request.window.fromDate ?? null, untilDate: request.window.untilDate },
  dataBundle: execution.bundle ?? null,
  recordsIn: execution.input?.records ?? 0,
  bytesIn: execution.input?.bytes ?? 0,
  more: execution.input?.hasMore ?? false,
  durationMs: execution.report.durationMs,
  peakMemoryBytes: execution.report.peakMemoryBytes ?? null,
  log: execution.report.log,
});

export const toDryRun = (endpoint: string, { execution, request }: DryRunResult): DryRun => ({
  ...headOf({ execution, request }),
  input: execution.input === undefined ? null : (JSON.parse(execution.input.text) as unknown),
  output: execution.output === undefined ? null : (JSON.parse(execution.output.text) as unknown),
  records: (execution.output?.data ?? []).map((data) => ({ endpoint, data: JSON.parse(data.toString()) as unknown })),
});

const CHUNK_CHARS = 500_000;

/** Streams a dry run as JSON. Does not parse input or output, because parsing megabytes would block the event loop. */
export async function* streamDryRunText(
  endpoint: string,
  { execution, request }: DryRunResult,
): AsyncGenerator<string> {
  const head = JSON.stringify(headOf({ execution, request })).slice(0, -1);
  yield `${head},"input":`;
  yield execution.input?.text ?? 'null';
  yield ',"output":';
  yield execution.output?.text ?? 'null';
  const recordStart = `{"endpoint":${JSON.stringify(endpoint)},"data":`;
  let chunk = ',"records":[';
  for (const [index, data] of (execution.output?.data ?? []).entries()) {
    chunk += `${index === 0 ? '' : ','}${recordStart}${data.toString()}}`;
    if (chunk.length < CHUNK_CHARS) continue;
    yield chunk;
    chunk = '';
  }
  yield `${chunk}]}`;
}
