import type { PdaOptions } from '../../server/pda/config.ts';
import { silentLog } from '../../server/platform/log.ts';
import { openPda, type RunningPda } from './test-pda.ts';

const openHomes = new Set<RunningPda>();

/** Closes PDAs that a failed test left open. */
export const closeHomes = async (): Promise<void> => {
  await Promise.all([...openHomes].map((home) => home.close()));
};

/**
 * Opens the home of a stopped server in this process and signs in. Recovery works as in a separate process, which costs
 * ten times as much.
 */
export const openHome = async (
  home: string,
  options: Partial<Pick<PdaOptions, 'functions' | 'log' | 'onEraseEverything'>> = {},
): Promise<RunningPda> => {
  const openedHome = await openPda({ home, log: silentLog(), ...options }, () => void openHomes.delete(openedHome));
  openHomes.add(openedHome);
  try {
    openedHome.token = await openedHome.signIn();
    return openedHome;
  } catch (error) {
    await openedHome.close();
    throw error;
  }
};
