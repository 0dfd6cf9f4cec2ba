import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { nativeFilesIn, runsOn } from '../build/native-files.ts';
import { stagePda, currentTarget } from '../build/stage.ts';
import { smokeTestStagedServer } from '../build/smoke-test.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';
import { ROOT } from './support/paths.ts';

// Tests the bundle of the installed app as the app uses it. `npm run package` builds the same bundle and creates
// installers.

/** Size limit in bytes, without Electron. */
const BUNDLE_MAX_BYTES = 220_000_000;

// The folder is outside the project, because inside it Node would find packages that are missing from the bundle.
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pda-bundle-')));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the app bundle', () => {
  it.skipIf(!IS_THOROUGH_RUN)(
    'is small, matches this machine, and starts, signs in and runs a function with only its own Node',
    async () => {
      const parts = stagePda(ROOT, folder, currentTarget());
      expect(parts.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(BUNDLE_MAX_BYTES);

      const nativeFiles = nativeFilesIn(join(folder, 'pda'));
      expect(nativeFiles.filter((file) => !runsOn(file, currentTarget()))).toEqual([]);
      for (const name of ['bin/node', 'argon2', 'better-sqlite3', 'isolated-vm'])
        expect(
          nativeFiles.filter(({ path }) => path.includes(name)),
          name,
        ).toHaveLength(1);

      const { passedSteps, failures, readyMs } = await smokeTestStagedServer(
        folder,
        join(ROOT, 'examples/functions/template'),
        1,
      );
      expect(failures).toEqual([]);
      expect(passedSteps).toEqual(
        expect.arrayContaining([
          'creates a PDA',
          'signs the owner in',
          'runs a function in the sandbox',
          'shuts down cleanly',
        ]),
      );
      console.log(`the staged server responds after ${readyMs.map((ms) => Math.round(ms)).join(', ')} ms`);
    },
  );
});
