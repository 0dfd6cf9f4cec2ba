import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fillHome, serveHome, waitForSearchIndex, type Pda } from './pda.ts';
import { startProcess, type BenchmarkProcess } from './processes.ts';
import { ENDPOINTS, FILTERED_RECORDS } from './records.ts';

export type Figure = {
  label: string;
  value: number;
  target: number;
  better: 'more' | 'less';
  unit: 'ratio' | 'ms' | 's' | 'MB' | 'events/s';
  detail: string;
};

export type Options = { quick: boolean; profile: string | undefined };

export type Context = {
  quick: boolean;
  records: number;
  rounds: number;
  seconds: number;
  folder: string;
  prepareHome(): string;
  /** Returns the PDA, and starts it if it is not running. Waits until its search index contains all records. */
  startPda(): Promise<Pda>;
  stopPda(): Promise<void>;
  startBaseline(file: string, args?: readonly string[]): Promise<BenchmarkProcess>;
  /** Stops the baseline servers: the PDA cannot checkpoint its WAL at shutdown while they have its database open. */
  stopBaselines(): Promise<void>;
  close(): Promise<void>;
};

export type Benchmark = (context: Context) => Promise<Figure[]>;

export const createContext = ({ quick, profile }: Options): Context => {
  const folder = mkdtempSync(join(tmpdir(), 'pda-bench-'));
  const records = quick ? 200_000 : 1_000_000;
  const baselines = new Set<BenchmarkProcess>();
  let home: string | undefined;
  let pda: Promise<Pda> | undefined;

  const prepareHome = (): string => {
    if (home !== undefined) return home;
    home = join(folder, 'home');
    fillHome(home, 0, records, [ENDPOINTS.large]);
    fillHome(home, 0, FILTERED_RECORDS, [ENDPOINTS.filtered]);
    return home;
  };

  const launchPda = (): Promise<Pda> =>
    serveHome(prepareHome(), profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]);

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
    async startPda() {
      const runningPda = await (pda ??= launchPda());
      await waitForSearchIndex(runningPda);
      return runningPda;
    },
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
