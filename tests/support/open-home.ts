import type { PdaOptions } from '../../server/pda/config.ts';
import { silentLog } from '../../server/platform/log.ts';
import { openPda, type RunningPda } from './test-pda.ts';

const openPdas = new Set<RunningPda>();

/** Closes PDAs that a failed test left open. */
export const closeHomes = async (): Promise<void> => {
  await Promise.all([...openPdas].map((pda) => pda.close()));
};

/**
 * Opens the home of a stopped server in this process and signs in. Recovery works as in a separate process, which costs
 * ten times as much.
 */
export const openHome = async (
  home: string,
  options: Partial<Pick<PdaOptions, 'functions' | 'log' | 'onEraseEverything'>> = {},
): Promise<RunningPda> => {
  const pda = await openPda({ home, log: silentLog(), ...options }, () => void openPdas.delete(pda));
  openPdas.add(pda);
  try {
    pda.token = await pda.signIn();
    return pda;
  } catch (error) {
    await pda.close();
    throw error;
  }
};
