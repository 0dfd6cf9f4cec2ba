import type { ImportRow } from '../store.ts';
import type { RunnerParts } from './element-runner.ts';

type FinishParts = Pick<RunnerParts, 'store' | 'kinds' | 'writer' | 'clock' | 'evictFields'>;

export type ImportEnd = { state: 'done' | 'failed' | 'cancelled'; line?: number | null; problem?: string };

/**
 * Records the end of a run. Evicts the fields of its endpoints first, so that every request after the end infers them
 * from all imported records, and the first chart fits these.
 */
export const finishImport = async (
  { store, kinds, writer, clock, evictFields }: FinishParts,
  { id, endpoint }: Pick<ImportRow, 'id' | 'endpoint'>,
  end: ImportEnd,
): Promise<void> => {
  const paths = endpoint === null ? kinds.kinds(id).map((kind) => kind.endpoint) : [endpoint];
  for (const path of paths) evictFields(path);
  await writer.write((tx) => store.finish(tx, id, { ...end, time: clock.now() }));
};
