import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runToCompletion, startProcess, type BenchmarkProcess } from './processes.ts';

export type Figure = {
  label: string;
  value: number;
  target: number;
  better: 'more' | 'less';
  unit: 'ratio' | 'ms' | 's' | 'MB' | 'events/s';
  detail: string;
};

export type Options = { quick: boolean; profile: string | undefined };

/** A running account server with the headers of the signed-in owner. */
export type Pda = BenchmarkProcess & { headers: { 'x-auth-token': string } };

/** State that the benchmarks share: one filled home and one server, created on first use. */
export type Context = {
  quick: boolean;
  records: number;
  /** Rounds of a comparison. Both sides run in each round. */
  rounds: number;
  /** Seconds per side and round. */
  seconds: number;
  folder: string;
  /** Returns the filled home. Creates it on first use. */
  prepareHome(): string;
  /** Starts the server if necessary and signs in. */
  startPda(): Promise<Pda>;
  /** Stops the server gracefully. The next `startPda()` starts it again. */
  stopPda(): Promise<void>;
  /** Starts a baseline server of bench/bare, which runs until the end of the benchmark. */
  startBaseline(file: string, args?: readonly string[]): Promise<BenchmarkProcess>;
  /**
   * Stops the servers of `startBaseline`, because a second program on the database prevents the WAL checkpoint at
   * shutdown.
   */
  stopBaselines(): Promise<void>;
  close(): Promise<void>;
};

export type Benchmark = (context: Context) => Promise<Figure[]>;

export const NAME = 'bench';
export const PASSWORD = 'a long password for one benchmark';

/** @returns the owner's access token */
export const signIn = async (url: string): Promise<string> => {
  const response = await fetch(`${url}/users/access_token`, {
    headers: { username: encodeURIComponent(NAME), password: encodeURIComponent(PASSWORD) },
  });
  if (!response.ok) throw new Error(`sign-in failed: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { accessToken: string }).accessToken;
};

const INDEX_POLL_MS = 500;
const MAX_INDEX_BUILD_MS = 30 * 60_000;

/** Waits until the search index contains all records, so that no benchmark runs while it is built. */
export const waitForSearchIndex = async ({ url, headers }: Pda): Promise<void> => {
  for (const start = performance.now(); ;) {
    const response = await fetch(`${url}/api/v2.6/owner/search-index`, { headers });
    const { remaining } = (await response.json()) as { remaining: number };
    if (remaining === 0) return;
    if (performance.now() - start > MAX_INDEX_BUILD_MS)
      throw new Error(`the search index still lacks ${remaining} records`);
    await sleep(INDEX_POLL_MS);
  }
};

/** Creates the context in a temporary folder, which `close` removes. */
export const createContext = ({ quick, profile }: Options): Context => {
  const folder = mkdtempSync(join(tmpdir(), 'pda-bench-'));
  const records = quick ? 200_000 : 1_000_000;
  const baselines = new Set<BenchmarkProcess>();
  let home: string | undefined;
  let pda: Promise<Pda> | undefined;

  const prepareHome = (): string => {
    if (home !== undefined) return home;
    home = join(folder, 'home');
    runToCompletion('bench/support/prepare-home.ts', [home, NAME, PASSWORD, String(records)]);
    return home;
  };

  const launchPda = async (): Promise<Pda> => {
    const server = await startProcess('server/pda/cli/main.ts', ['serve', '--home', prepareHome()], {
      nodeArgs: profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`],
    });
    const signedInPda = { ...server, headers: { 'x-auth-token': await signIn(server.url) } };
    await waitForSearchIndex(signedInPda);
    return signedInPda;
  };

  const stopPda = async (): Promise<void> => {
    const currentPda = pda;
    pda = undefined;
    if (currentPda !== undefined) await (await currentPda).stop();
  };

  const stopBaselines = async (): Promise<void> => {
    for (const baseline of baselines) await baseline.stop();
    baselines.clear();
  };

  return {
    quick,
    records,
    rounds: quick ? 3 : 7,
    seconds: quick ? 2 : 3,
    folder,
    prepareHome,
    startPda: () => (pda ??= launchPda()),
    stopPda,
    async startBaseline(file, args = []) {
      const baseline = await startProcess(`bench/bare/${file}`, args);
      baselines.add(baseline);
      return baseline;
    },
    stopBaselines,
    async close() {
      await stopPda();
      await stopBaselines();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
