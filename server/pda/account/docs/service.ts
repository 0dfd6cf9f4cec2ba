import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import mime from 'mime-types';
import { ignoreMissing } from '../../../platform/io/file-system.ts';
import type { Clock } from '../../../platform/clock.ts';

const PASS_LIFETIME_MS = 8 * 3_600_000;
/** Maximum number of valid passes. An owner rarely has this many open windows. */
const MAX_PASSES = 50;

/** A file of the guide and its media type. */
export type DocsFile = { bytes: Buffer; type: string };

/** Serves the built guide. */
export type DocsService = {
  /** Returns a file of the built guide; undefined if it does not exist. */
  file(path: string): Promise<DocsFile | undefined>;
  /**
   * Creates a pass for addresses of the guide, because a browser sends no token when it follows a link.
   */
  createPass(): string;
  /** Returns true if the value is a pass that has not expired. */
  isPass(value: string): boolean;
};

/** `folder` contains the built guide. If undefined, no guide is served. */
export type DocsParts = { folder: string | undefined; clock: Clock };

/** Creates the service of the guide. */
export const createDocs = ({ folder, clock }: DocsParts): DocsService => {
  const passes = new Map<string, number>();

  /**
   * Lists the files of the guide. Only listed paths are read, so that a request cannot read other files.
   */
  const listPaths = async (): Promise<ReadonlySet<string>> => {
    if (folder === undefined) return new Set();
    const paths = await readdir(folder, { recursive: true }).catch(ignoreMissing);
    return new Set(paths?.map((path) => path.split(sep).join('/')));
  };

  return {
    async file(path) {
      const type = mime.contentType(extname(path));
      if (folder === undefined || type === false || !(await listPaths()).has(path)) return undefined;
      // A rebuild may have removed the file after it was listed.
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
