import type { ImportRow } from '../store.ts';
import type { RunnerParts } from './element-runner.ts';

type FinishParts = Pick<RunnerParts, 'store' | 'kinds' | 'writer' | 'clock' | 'evictFields'>;

export type ImportEnd = { state: 'done' | 'failed' | 'cancelled'; line?: number | null; problem?: string };

/** Returns the endpoints at which an import stores records. */
export const endpointsOf = (
  kinds: Pick<RunnerParts['kinds'], 'kinds'>,
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
  for (const path of endpointsOf(kinds, row)) evictFields(path);
  await writer.write((tx) => store.finish(tx, row.id, { ...end, time: clock.now() }));
};
