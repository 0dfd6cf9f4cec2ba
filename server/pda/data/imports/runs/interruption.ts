import { Failure } from '../../../../platform/failure.ts';

/**
 * Whether a run was ended from outside, rather than by its file: `stopped` with the server, which goes on with it, or `cancelled` by the owner,
 * written down by `cancel`.
 * @throws Failure out_of_disk: it passes, and nothing is written down as failed, so that the same place can be gone on from
 */
export const endedFromOutside = async (
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
