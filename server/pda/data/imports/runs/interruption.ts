import { Failure } from '../../../../platform/failure.ts';

/**
 * Returns `stopped` if the server or the command stops, `cancelled` if the owner cancelled the import, and undefined
 * for any other error.
 * @throws Failure out_of_disk | unavailable: the import can resume once there is space, or once the large records with
 *   which the file is compared no longer change
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
  if (error instanceof Failure && (error.code === 'out_of_disk' || error.code === 'unavailable')) throw error;
  return undefined;
};
