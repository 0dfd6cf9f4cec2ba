import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import type { FunctionHost, FunctionSession } from '../runs/function-host.ts';
import { findConfinement, type Confinement } from './confinement.ts';
import { killOrphan } from './orphans.ts';
import { openSession } from './session.ts';

export type SandboxHost = FunctionHost & {
  detectConfinement(): Promise<Confinement>;
  /** Ends all runs. Resolves when their processes have exited and their folders are deleted. */
  close(): Promise<void>;
};

type SandboxOptions = {
  /** Folder used only by this host. Files found at the start belong to interrupted runs and are deleted. */
  readonly folder: string;
  readonly log: { warn(facts: { err?: unknown; problem?: string | undefined }, message: string): void };
};

const PID_FILE = '.pid';

export const createSandboxHost = ({ folder, log }: SandboxOptions): SandboxHost => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const leftovers = readdirSync(folder);
  const cleanupPromise = removeLeftovers(folder, leftovers, log);
  const sessions = new Set<FunctionSession>();
  const deletions = new Map<string, Promise<void>>();
  let detectedConfinement: Confinement | undefined;
  let detection: Promise<Confinement> | undefined;
  let isStopping = false;

  const removePath = async (path: string): Promise<void> => {
    try {
      await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    } catch (error) {
      log.warn({ err: error }, 'a scratch file or folder could not be removed; the next start will retry');
    }
  };

  /** Detects the confinement once. A failure is not cached, because its cause may be temporary. */
  const detectConfinement = async (): Promise<Confinement> => {
    detection ??= (async () => {
      const path = join(folder, randomUUID());
      try {
        await mkdir(path, { recursive: true, mode: 0o700 });
        const confinement = await findConfinement(path);
        const { network, strongerProblem: problem } = confinement;
        if (network !== 'closed')
          log.warn(
            { problem },
            'this system cannot block the network access of functions; only the sandbox process blocks it',
          );
        detectedConfinement = confinement;
        return confinement;
      } catch (error) {
        detection = undefined;
        throw error;
      } finally {
        await removePath(path);
      }
    })();
    return detection;
  };

  return {
    detectConfinement,
    open(target, signal) {
      const id = randomUUID();
      const path = join(folder, id);
      const pidFile = join(folder, `${id}${PID_FILE}`);
      const sessionSignal = isStopping ? AbortSignal.abort() : signal;
      const session = openSession(
        {
          folder: path,
          confinement: detectedConfinement ?? detectConfinement(),
          onStarted: (pid) => writeFileSync(pidFile, String(pid), { mode: 0o600 }),
          // Cleans up in the background after the run's result is available.
          onEnded: () => {
            sessions.delete(session);
            const deletion = Promise.all([removePath(path), removePath(pidFile)]).then(() => void deletions.delete(id));
            deletions.set(id, deletion);
          },
        },
        target,
        sessionSignal,
      );
      sessions.add(session);
      return session;
    },
    async close() {
      isStopping = true;
      await Promise.all([...sessions].map(async (session) => session.close()));
      await detection?.catch(() => undefined);
      await Promise.all(deletions.values());
      await cleanupPromise;
    },
  };
};

const removeLeftovers = async (folder: string, names: readonly string[], log: SandboxOptions['log']): Promise<void> => {
  for (const name of names) {
    const path = join(folder, name);
    try {
      if (name.endsWith(PID_FILE)) await killOrphan(path, name.slice(0, -PID_FILE.length));
    } catch (error) {
      log.warn({ err: error }, 'an orphaned sandbox process could not be killed');
    }
  }
  for (const name of names) {
    try {
      rmSync(join(folder, name), { recursive: true, force: true });
    } catch (error) {
      log.warn({ err: error }, 'a leftover of an earlier run could not be removed');
    }
  }
};
