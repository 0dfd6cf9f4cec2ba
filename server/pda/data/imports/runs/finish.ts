import { Failure } from '../../../../platform/failure.ts';
import { messageOf } from '../../../../wire/values.ts';
import type { ImportRow } from '../store.ts';
import { BrokenElement } from '../tabular/element-source.ts';
import { UnreadableFile } from '../worker/client.ts';
import type { ImportRunnerParts } from './element-runner.ts';

type FinishParts = Pick<ImportRunnerParts, 'store' | 'kinds' | 'writer' | 'clock' | 'evictFields'>;

export type ImportEnd = { state: 'done' | 'failed' | 'cancelled'; line?: number | null; problem?: string };

export const endpointsOfImport = (
  kinds: Pick<ImportRunnerParts['kinds'], 'kinds'>,
  { id, endpoint }: Pick<ImportRow, 'id' | 'endpoint'>,
): Set<string> => {
  const paths = new Set(kinds.kinds(id).map((kind) => kind.endpoint));
  if (endpoint !== null) paths.add(endpoint);
  return paths;
};

/**
 * Records the end of a run. Evicts the fields of its endpoints first, so that every request after the end infers them
 * from all imported records.
 */
export const finishImport = async (
  { store, kinds, writer, clock, evictFields }: FinishParts,
  row: Pick<ImportRow, 'id' | 'endpoint'>,
  end: ImportEnd,
): Promise<void> => {
  for (const path of endpointsOfImport(kinds, row)) evictFields(path);
  await writer.write((tx) => store.finish(tx, row.id, { ...end, time: clock.now() }));
};

/**
 * Runs an import and records its end, unless the server or the command stops.
 * @throws Failure out_of_disk | unavailable: the import can resume once there is space, or once large records can be
 *   compared
 */
export const runImport = async (
  parts: FinishParts,
  row: Pick<ImportRow, 'id' | 'endpoint'>,
  signal: AbortSignal,
  importAll: () => Promise<void>,
): Promise<'done' | 'failed' | 'cancelled' | 'stopped'> => {
  try {
    await importAll();
    signal.throwIfAborted();
  } catch (error) {
    if (signal.aborted) {
      if (signal.reason !== 'cancelled') return 'stopped';
      await finishImport(parts, row, { state: 'cancelled' });
      return 'cancelled';
    }
    if (error instanceof Failure && (error.code === 'out_of_disk' || error.code === 'unavailable')) throw error;
    const line = error instanceof BrokenElement || error instanceof UnreadableFile ? error.line : null;
    await finishImport(parts, row, { state: 'failed', line, problem: messageOf(error) });
    return 'failed';
  }
  await finishImport(parts, row, { state: 'done' });
  return 'done';
};
