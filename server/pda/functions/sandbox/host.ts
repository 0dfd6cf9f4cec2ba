import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import type { FunctionHost, FunctionSession } from '../runs/function-host.ts';
import { findConfinement, type Confinement } from './confinement.ts';
import { endLeftover } from './orphans.ts';
import { openSession } from './session.ts';

export type SandboxHost = FunctionHost & {
  /** How far the system helps on this machine; tries it out the first time. */
  confinement(): Promise<Confinement>;
  /** Ends all runs and waits until nothing of them is left. */
  close(): Promise<void>;
};

export type SandboxOptions = {
  /** A folder of this host's alone: what lies in it at the start is of dead runs and goes. */
  readonly folder: string;
  /** A logger. */
  readonly log: { warn(facts: { err?: unknown }, message: string): void };
};

const PID_FILE = '.pid';

/** The host of installed functions: a process for each run. */
export const createSandboxHost = ({ folder, log }: SandboxOptions): SandboxHost => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const leftovers = readdirSync(folder);
  const cleaned = cleanUp(folder, leftovers, log);
  const open = new Set<FunctionSession>();
  const wiping = new Map<string, Promise<void>>();
  let known: Confinement | undefined;
  let finding: Promise<Confinement> | undefined;
  let stopping = false;

  const wipe = async (path: string): Promise<void> => {
    try {
      await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    } catch (error) {
      log.warn({ err: error }, "a run's folder could not be removed; the next start tries again");
    }
  };

  const runFolder = (): { id: string; path: string } => {
    const id = randomUUID();
    const path = join(folder, id);
    // Recreates the parent too if it was deleted.
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return { id, path };
  };

  /** Tried out at first use and remembered; a failure is not, for the reason may have gone. */
  const confinement = async (): Promise<Confinement> => {
    finding ??= (async () => {
      const { path } = runFolder();
      try {
        known = await findConfinement(path);
        if (known.network !== 'closed')
          log.warn({}, 'this system does not close the network for functions; only the sandbox itself does');
        return known;
      } catch (error) {
        finding = undefined;
        throw error;
      } finally {
        await wipe(path);
      }
    })();
    return finding;
  };

  return {
    confinement,
    open(target, signal) {
      const { id, path } = runFolder();
      const pidFile = join(folder, `${id}${PID_FILE}`);
      const refused = stopping ? AbortSignal.abort() : signal;
      const session = openSession(
        {
          folder: path,
          confinement: known ?? confinement(),
          onStarted: (pid) => writeFileSync(pidFile, String(pid), { mode: 0o600 }),
          // Cleans up in the background after the run's result is available.
          onEnded: () => {
            open.delete(session);
            const wiped = Promise.all([wipe(path), wipe(pidFile)]).then(() => void wiping.delete(id));
            wiping.set(id, wiped);
          },
        },
        target,
        refused,
      );
      open.add(session);
      return session;
    },
    async close() {
      stopping = true;
      await Promise.all([...open].map(async (session) => session.close()));
      await finding?.catch(() => undefined);
      await Promise.all(wiping.values());
      await cleaned;
    },
  };
};

/** What a server that was killed left behind: processes that may still run, and their folders. */
const cleanUp = async (folder: string, names: readonly string[], log: SandboxOptions['log']): Promise<void> => {
  for (const name of names) {
    const path = join(folder, name);
    try {
      if (name.endsWith(PID_FILE)) await endLeftover(path, name.slice(0, -PID_FILE.length));
    } catch (error) {
      log.warn({ err: error }, 'a sandbox of an earlier server could not be ended');
    }
  }
  for (const name of names) {
    try {
      rmSync(join(folder, name), { recursive: true, force: true });
    } catch (error) {
      log.warn({ err: error }, "an earlier run's folder could not be removed");
    }
  }
};
