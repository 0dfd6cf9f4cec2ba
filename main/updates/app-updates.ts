import { join } from 'node:path';
import { serverCommand, serverEnvironment, type Parts } from '../server/installation.ts';
import type { ServerProcess } from '../server/process.ts';
import type { Texts } from '../texts/en.ts';
import { createUpdateFile } from './update-file.ts';
import { createCopies } from './server-copies.ts';
import { completeUpdate, type CompletedUpdate, type CompleteUpdateParts } from './pending-update.ts';
import { createUpdates, type Question, type Updater, type Updates } from './update-flow.ts';

export type AppUpdates = {
  /** False after an update, until `settle` has completed. */
  isSettled(): boolean;
  /**
   * Completes a pending update before the server starts, and returns the parts to run. The server must not start
   * before that.
   */
  settle(quit?: AbortSignal): Promise<CompletedUpdate>;
  /** Opens the update flow. @param use `running`: the parts that the server runs with */
  open(use: {
    readonly updater: Updater | null;
    readonly running: Parts;
    readonly server: Pick<ServerProcess, 'start' | 'stop'>;
    readonly ask: (question: Question) => Promise<boolean>;
  }): Updates;
};

/**
 * Creates the updates of one app and its home.
 * @param parts `userData`: the app's data folder of this home; `ours`: the parts of this app
 */
export function createAppUpdates(parts: {
  readonly userData: string;
  readonly home: string;
  readonly version: string;
  readonly ownParts: Parts;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Returns why the server must not start on the home now; null if it may. */
  readonly whyNot?: () => string | null;
  readonly texts: Texts;
  readonly onLog?: (line: string) => void;
  /** For tests. */
  readonly patience?: Pick<CompleteUpdateParts, 'responseTimeoutMs' | 'stillAfterMs' | 'healthMs'>;
}): AppUpdates {
  const { userData, home, version, ownParts, env } = parts;
  const file = createUpdateFile(join(userData, 'update.json'));
  const keptFolder = join(userData, 'servers');
  const copies = createCopies({ home, env: serverEnvironment(env) });
  const textOptions = { texts: parts.texts, ...(parts.onLog === undefined ? {} : { onLog: parts.onLog }) };
  return {
    isSettled: () => file.read().phase === 'settled',
    settle: (quit) =>
      completeUpdate({
        file,
        version,
        ownParts,
        keptFolder,
        copies,
        commandOf: (used) => serverCommand(used, home, env),
        ...parts.patience,
        ...(parts.whyNot === undefined ? {} : { whyNot: parts.whyNot }),
        ...textOptions,
        ...(quit === undefined ? {} : { quit }),
      }),
    open: (use) => createUpdates({ ...use, version, file, home, keptFolder, copies, ...textOptions }),
  };
}
