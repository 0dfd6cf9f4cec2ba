import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import mime from 'mime-types';
import { ignoreMissing } from '../../../platform/io/file-system.ts';
import type { Clock } from '../../../platform/clock.ts';

const PASS_LIFETIME_MS = 8 * 3_600_000;
/** Maximum number of valid passes. A new one replaces the oldest. An owner rarely has this many open windows. */
const MAX_PASSES = 50;

/** `type` is the media type. */
export type DocsFile = { bytes: Buffer; type: string };

export type DocsService = {
  /** Returns undefined if the guide does not contain the file. */
  file(path: string): Promise<DocsFile | undefined>;
  /** Creates a secret for the addresses of pages, because a browser sends no token when it follows a link. */
  createPass(): string;
  /** Returns true for a pass that has not expired. */
  isPass(value: string): boolean;
};

/** `folder`: the built guide; undefined if there is none. */
export type DocsParts = { folder: string | undefined; clock: Clock };

export const createDocs = ({ folder, clock }: DocsParts): DocsService => {
  const passes = new Map<string, number>();

  /** Only listed paths are read, so that a request cannot read other files. */
  const listPaths = async (): Promise<ReadonlySet<string>> => {
    if (folder === undefined) return new Set();
    const paths = await readdir(folder, { recursive: true }).catch(ignoreMissing);
    return new Set(paths?.map((path) => path.split(sep).join('/')));
  };

  return {
    async file(path) {
      const type = mime.contentType(extname(path));
      if (folder === undefined || type === false || !(await listPaths()).has(path)) return undefined;
      // A rebuild may have removed a listed file.
      const bytes = await readFile(join(folder, path)).catch(ignoreMissing);
      return bytes === undefined ? undefined : { bytes, type };
    },
    createPass() {
      const now = clock.now();
      for (const [pass, expires] of passes) if (expires < now || passes.size >= MAX_PASSES) passes.delete(pass);
      const pass = randomBytes(24).toString('base64url');
      passes.set(pass, now + PASS_LIFETIME_MS);
      return pass;
    },
    isPass: (value) => (passes.get(value) ?? 0) >= clock.now(),
  };
};
