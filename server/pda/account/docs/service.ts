import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import mime from 'mime-types';
import { ignoreMissing } from '../../../platform/io/file-system.ts';
import type { Clock } from '../../../platform/clock.ts';

const PASS_LIFETIME_MS = 8 * 3_600_000;
/**
 * Maximum number of valid passes, which open the pages of the guide. A further pass replaces the oldest. An owner
 * rarely has this many open windows.
 */
const MAX_PASSES = 50;

/** @param parts.folder the built guide; undefined if there is none */
export const createDocs = ({ folder, clock }: { folder: string | undefined; clock: Clock }) => {
  const passes = new Map<string, number>();
  return {
    /** Returns undefined if the guide does not contain the file. `type` is the media type. */
    async find(path: string): Promise<{ bytes: Buffer; type: string } | undefined> {
      const type = mime.contentType(extname(path));
      if (folder === undefined || type === false) return undefined;
      // Only listed paths are read, so that a request cannot read other files.
      const listedPaths = await readdir(folder, { recursive: true }).catch(ignoreMissing);
      if (listedPaths?.some((listed) => listed.split(sep).join('/') === path) !== true) return undefined;
      // A rebuild may have removed a listed file.
      const bytes = await readFile(join(folder, path)).catch(ignoreMissing);
      return bytes === undefined ? undefined : { bytes, type };
    },
    /** Creates a secret for the addresses of pages, because a browser sends no token when it follows a link. */
    createPass(): string {
      const now = clock.now();
      for (const [pass, expires] of passes) if (expires < now || passes.size >= MAX_PASSES) passes.delete(pass);
      const pass = randomBytes(24).toString('base64url');
      passes.set(pass, now + PASS_LIFETIME_MS);
      return pass;
    },
    /** Returns true for a pass that has not expired. */
    isPass: (value: string): boolean => (passes.get(value) ?? 0) >= clock.now(),
  };
};
