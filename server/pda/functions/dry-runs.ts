import type { DryRun } from '../../wire/functions.ts';
import type { Attempt, Order } from './attempt.ts';

/** A run of which nothing was saved, as it is shown. */
export const toDryRun = (endpoint: string, { tried, order }: { tried: Attempt; order: Order }): DryRun => ({
  outcome: tried.outcome === 'done' && tried.sent !== 'sent' ? null : tried.outcome,
  message: tried.message ?? (tried.input?.notes.join(' ') || null),
  window: { fromDate: order.window.fromDate ?? null, untilDate: order.window.untilDate },
  dataBundle: tried.bundle ?? null,
  input: tried.input === undefined ? null : (JSON.parse(tried.input.text) as unknown),
  recordsIn: tried.input?.records ?? 0,
  bytesIn: tried.input?.bytes ?? 0,
  more: tried.input?.more ?? false,
  output: tried.output === undefined ? null : (JSON.parse(tried.output.text) as unknown),
  records: (tried.output?.data ?? []).map((data) => ({ endpoint, data: JSON.parse(data.toString()) as unknown })),
  durationMs: tried.report.durationMs,
  peakMemoryBytes: tried.report.peakMemoryBytes ?? null,
  log: tried.report.log,
});
