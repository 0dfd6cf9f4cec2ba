import { join } from 'node:path';
import { serverCommand, serverEnvironment, type Installation } from '../server/installation.ts';
import type { ServerProcess } from '../server/process.ts';
import type { Texts } from '../texts/en.ts';
import { createUpdateFile } from './update-file.ts';
import { createDatabaseCopies } from './server-copies.ts';
import { completeUpdate, type CompletedUpdate, type CompleteUpdateOptions } from './pending-update.ts';
import { createUpdateFlow, type Question, type Updater, type UpdateFlow } from './update-flow.ts';

export type AppUpdates = ReturnType<typeof createAppUpdates>;

export function createAppUpdates(options: {
  readonly userData: string;
  readonly home: string;
  readonly version: string;
  readonly ownInstallation: Installation;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly findStartObstacle: () => string | null;
  readonly texts: Texts;
  readonly onLog: (line: string) => void;
  /** For tests. */
  readonly timeouts:
    | Pick<CompleteUpdateOptions, 'responseTimeoutMs' | 'secondCheckDelayMs' | 'healthTimeoutMs'>
    | undefined;
}) {
  const { userData, home, version, ownInstallation, env, texts, onLog } = options;
  const file = createUpdateFile(join(userData, 'update.json'));
  const preservedServersFolder = join(userData, 'servers');
  const copies = createDatabaseCopies({ home, env: serverEnvironment(env) });
  return {
    /** Returns false from the start of an installer until the update succeeds or is abandoned, and after a rollback. */
    isSettled: (): boolean => file.read().phase === 'settled',
    /** Completes a pending update; until then, the server must not start. @param quit aborted when the owner quits */
    completeUpdate: (quit: AbortSignal): Promise<CompletedUpdate> =>
      completeUpdate({
        file,
        version,
        ownInstallation,
        preservedServersFolder,
        copies,
        commandOf: (installation) => serverCommand(installation, home, env),
        findStartObstacle: options.findStartObstacle,
        texts,
        onLog,
        quit,
        ...options.timeouts,
      }),
    createFlow: (context: {
      readonly updater: Updater | null;
      readonly running: Installation;
      readonly server: Pick<ServerProcess, 'start' | 'stop'>;
      readonly askOwner: (question: Question) => Promise<boolean>;
    }): UpdateFlow =>
      createUpdateFlow({ ...context, version, file, home, preservedServersFolder, copies, texts, onLog }),
  };
}
