import type { DryRun } from '../../../wire/functions.ts';
import type { Attempt, Order } from './execution.ts';

type Tried = { tried: Attempt; order: Order };

/** All but what can be large. */
const headOf = ({ tried, order }: Tried): Omit<DryRun, 'input' | 'output' | 'records'> => ({
  outcome: tried.outcome === 'done' && tried.sent !== 'sent' ? null : tried.outcome,
  message: tried.message ?? (tried.input?.notes.join(' ') || null),
  window: { fromDate: order.window.fromDate ?? null, untilDate: order.window.untilDate },
  dataBundle: tried.bundle ?? null,
  recordsIn: tried.input?.records ?? 0,
  bytesIn: tried.input?.bytes ?? 0,
  more: tried.input?.more ?? false,
  durationMs: tried.report.durationMs,
  peakMemoryBytes: tried.report.peakMemoryBytes ?? null,
  log: tried.report.log,
});

/** A run of which nothing was saved, as it is shown. */
export const toDryRun = (endpoint: string, { tried, order }: Tried): DryRun => ({
  ...headOf({ tried, order }),
  input: tried.input === undefined ? null : (JSON.parse(tried.input.text) as unknown),
  output: tried.output === undefined ? null : (JSON.parse(tried.output.text) as unknown),
  records: (tried.output?.data ?? []).map((data) => ({ endpoint, data: JSON.parse(data.toString()) as unknown })),
});

/** Bytes of records that are put together before others have their turn. */
const AT_ONCE_BYTES = 500_000;

/** The same as the text of its JSON. Nothing of it is parsed: ten megabytes of another's making would hold up everybody for seconds. */
export async function* dryRunText(endpoint: string, { tried, order }: Tried): AsyncGenerator<string> {
  const head = JSON.stringify(headOf({ tried, order })).slice(0, -1);
  yield `${head},"input":`;
  yield tried.input?.text ?? 'null';
  yield ',"output":';
  yield tried.output?.text ?? 'null';
  const around = `{"endpoint":${JSON.stringify(endpoint)},"data":`;
  let piece = ',"records":[';
  for (const [index, data] of (tried.output?.data ?? []).entries()) {
    piece += `${index === 0 ? '' : ','}${around}${data.toString()}}`;
    if (piece.length < AT_ONCE_BYTES) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}]}`;
}
