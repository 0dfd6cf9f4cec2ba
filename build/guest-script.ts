import { build } from 'esbuild';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { GUEST_SCRIPT_PATH } from '../server/wire/guest-paths.ts';

const ENTRY = join(import.meta.dirname, '../renderer/guest/passkeys.ts');

/** Builds the script of the guest pages as a separate file, because guests load no part of the dashboard. */
export const guestScript = (): Plugin => ({
  name: 'guest-script',
  apply: 'build',
  async generateBundle() {
    const { outputFiles } = await build({
      entryPoints: [ENTRY],
      bundle: true,
      format: 'esm',
      target: 'es2022',
      minify: true,
      legalComments: 'eof',
      write: false,
      logLevel: 'silent',
    });
    for (const { contents } of outputFiles)
      this.emitFile({ type: 'asset', fileName: GUEST_SCRIPT_PATH.slice(1), source: contents });
  },
});
