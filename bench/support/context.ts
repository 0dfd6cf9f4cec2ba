import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runToCompletion, start, type BenchmarkProcess } from './processes.ts';

/** Result of a benchmark with its target. */
export type Figure = {
  what: string;
  value: number;
  target: number;
  /** Direction in which the value improves. */
  better: 'more' | 'less';
  unit: 'ratio' | 'ms' | 's' | 'MB' | 'events/s';
  detail: string;
};

export type Options = { quick: boolean; profile: string | undefined };

export type Pda = BenchmarkProcess & { headers: { 'x-auth-token': string } };

/** State shared by the benchmarks: one filled home and one server, created on first use. */
export type Context = {
  quick: boolean;
  records: number;
  /** Rounds in which two sides take turns, and seconds per side and round. */
  rounds: number;
  seconds: number;
  folder: string;
  home(): string;
  pda(): Promise<Pda>;
  /** Stops the server gracefully; the next `pda()` restarts it. */
  stopPda(): Promise<void>;
  /** Starts a baseline server of bench/bare. It is stopped after the benchmark. */
  bare(file: string, args?: readonly string[]): Promise<BenchmarkProcess>;
  /**
   * Stops the servers that `bare` started. A second program on the database would prevent the WAL checkpoint at
   * shutdown.
   */
  stopBares(): Promise<void>;
  close(): Promise<void>;
};

export type Benchmark = (context: Context) => Promise<Figure[]>;

export const NAME = 'bench';
export const PASSWORD = 'a long password for one benchmark';

export const signIn = async (url: string): Promise<string> => {
  const response = await fetch(`${url}/users/access_token`, {
    headers: { username: encodeURIComponent(NAME), password: encodeURIComponent(PASSWORD) },
  });
  if (!response.ok) throw new Error(`sign-in: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { accessToken: string }).accessToken;
};

export const createContext = ({ quick, profile }: Options): Context => {
  const folder = mkdtempSync(join(tmpdir(), 'pda-bench-'));
  const records = quick ? 200_000 : 1_000_000;
  const bares = new Set<BenchmarkProcess>();
  let home: string | undefined;
  let pda: Promise<Pda> | undefined;

  const prepareHome = (): string => {
    if (home !== undefined) return home;
    home = join(folder, 'home');
    runToCompletion('bench/support/prepare-home.ts', [home, NAME, PASSWORD, String(records)]);
    return home;
  };

  const startPda = async (): Promise<Pda> => {
    const running = await start('server/pda/cli/main.ts', ['serve', '--home', prepareHome()], {
      nodeArgs: profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`],
    });
    return { ...running, headers: { 'x-auth-token': await signIn(running.url) } };
  };

  const stopPda = async (): Promise<void> => {
    const running = pda;
    pda = undefined;
    if (running !== undefined) await (await running).stop();
  };

  const stopBares = async (): Promise<void> => {
    for (const running of bares) await running.stop();
    bares.clear();
  };

  return {
    quick,
    records,
    rounds: quick ? 3 : 7,
    seconds: quick ? 2 : 3,
    folder,
    home: prepareHome,
    pda: () => (pda ??= startPda()),
    stopPda,
    async bare(file, args = []) {
      const running = await start(`bench/bare/${file}`, args);
      bares.add(running);
      return running;
    },
    stopBares,
    async close() {
      await stopPda();
      await stopBares();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
