import { Failure } from '../../../../platform/failure.ts';

/**
 * Tells whether an import was interrupted from outside and not by its file: `stopped` with the server, which resumes it at the next start,
 * or `cancelled` by the owner, which `cancel` records.
 * @throws Failure out_of_disk: the condition is temporary, so the import is not recorded as failed and can resume at the same position
 */
export const interruptionOf = async (
  error: unknown,
  signal: AbortSignal,
  cancel: () => Promise<void>,
): Promise<'stopped' | 'cancelled' | undefined> => {
  if (signal.aborted) {
    if (signal.reason !== 'cancelled') return 'stopped';
    await cancel();
    return 'cancelled';
  }
  if (error instanceof Failure && error.code === 'out_of_disk') throw error;
  return undefined;
};
