import { messageOf } from '../../../../wire/values.ts';
import type { ImportRow } from '../store.ts';
import { BrokenElement } from '../tabular/element-source.ts';
import { UnreadableFile } from '../worker/client.ts';
import type { RunnerParts } from './element-runner.ts';
import { interruptionOf } from './interruption.ts';

type FinishParts = Pick<RunnerParts, 'store' | 'kinds' | 'writer' | 'clock' | 'evictFields'>;

export type ImportEnd = { state: 'done' | 'failed' | 'cancelled'; line?: number | null; problem?: string };

export const endpointsOf = (
  kinds: Pick<RunnerParts['kinds'], 'kinds'>,
  { id, endpoint }: Pick<ImportRow, 'id' | 'endpoint'>,
): Set<string> => {
  const paths = new Set(kinds.kinds(id).map((kind) => kind.endpoint));
  if (endpoint !== null) paths.add(endpoint);
  return paths;
};

/** Evicts the fields first, so that every request after the end infers them from all imported records. */
export const finishImport = async (
  { store, kinds, writer, clock, evictFields }: FinishParts,
  row: Pick<ImportRow, 'id' | 'endpoint'>,
  end: ImportEnd,
): Promise<void> => {
  for (const path of endpointsOf(kinds, row)) evictFields(path);
  await writer.write((tx) => store.finish(tx, row.id, { ...end, time: clock.now() }));
};

/**
 * Runs an import and records its end, unless the server or the command stops.
 * @throws Failure out_of_disk | unavailable; the import can then be resumed
 */
export const runImport = async (
  parts: FinishParts,
  row: ImportRow,
  signal: AbortSignal,
  importAll: () => Promise<void>,
): Promise<'done' | 'failed' | 'cancelled' | 'stopped'> => {
  try {
    await importAll();
    signal.throwIfAborted();
  } catch (error) {
    const interruption = await interruptionOf(error, signal, () => finishImport(parts, row, { state: 'cancelled' }));
    if (interruption !== undefined) return interruption;
    const line = error instanceof BrokenElement || error instanceof UnreadableFile ? error.line : null;
    await finishImport(parts, row, { state: 'failed', line, problem: messageOf(error) });
    return 'failed';
  }
  await finishImport(parts, row, { state: 'done' });
  return 'done';
};
