import { join } from 'node:path';
import { serverCommand, serverEnvironment, type Parts } from '../server/installation.ts';
import type { ServerProcess } from '../server/process.ts';
import type { Texts } from '../texts/en.ts';
import { createUpdateFile } from './update-file.ts';
import { createCopies } from './server-copies.ts';
import { settleUpdate, type Settled, type SettleParts } from './pending-update.ts';
import { createUpdates, type Question, type Updater, type Updates } from './update-flow.ts';

export type AppUpdates = {
  /** False after an update, until `settle` has come to an end. */
  isSettled(): boolean;
  /** Before the server is started: finishes what an update began, and says with which parts to go on. Nothing else may start the server meanwhile. */
  settle(quit?: AbortSignal): Promise<Settled>;
  /** The way to the next version. @param use `running`: the parts that the server runs with */
  open(use: {
    readonly updater: Updater | null;
    readonly running: Parts;
    readonly server: Pick<ServerProcess, 'start' | 'stop'>;
    readonly ask: (question: Question) => Promise<boolean>;
  }): Updates;
};

/** Updates of one app and its home, put together. @param parts `userData`: the app's own folder, of this home; `ours`: what this app carries */
export function createAppUpdates(parts: {
  readonly userData: string;
  readonly home: string;
  readonly version: string;
  readonly ours: Parts;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Why a server must not be started on the home now. */
  readonly whyNot?: () => string | null;
  readonly texts: Texts;
  readonly onLog?: (line: string) => void;
  /** For tests. */
  readonly patience?: Pick<SettleParts, 'answerWithinMs' | 'stillAfterMs' | 'healthMs'>;
}): AppUpdates {
  const { userData, home, version, ours, env } = parts;
  const file = createUpdateFile(join(userData, 'update.json'));
  const keptFolder = join(userData, 'servers');
  const copies = createCopies({ home, env: serverEnvironment(env) });
  const told = { texts: parts.texts, ...(parts.onLog === undefined ? {} : { onLog: parts.onLog }) };
  return {
    isSettled: () => file.read().phase === 'settled',
    settle: (quit) =>
      settleUpdate({
        file,
        version,
        ours,
        keptFolder,
        copies,
        commandOf: (used) => serverCommand(used, home, env),
        ...parts.patience,
        ...(parts.whyNot === undefined ? {} : { whyNot: parts.whyNot }),
        ...told,
        ...(quit === undefined ? {} : { quit }),
      }),
    open: (use) => createUpdates({ ...use, version, file, home, keptFolder, copies, ...told }),
  };
}
