import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import mime from 'mime-types';
import { unlessMissing } from '../../../platform/io/file-system.ts';
import type { Clock } from '../../../platform/clock.ts';

/** Milliseconds for which a remote session can open further pages. */
const PASS_MS = 8 * 3_600_000;
/** More than an owner has windows. */
const MAX_PASSES = 50;

export type DocsFile = { bytes: Buffer; type: string };

export type DocsService = {
  /** One of the built files; undefined for whatever is none. */
  file(path: string): Promise<DocsFile | undefined>;
  /** A word for an address, which opens the guide for some hours: a browser that follows a link sends no token along. */
  pass(): string;
  isPass(word: string): boolean;
};

/** `folder` holds the built guide; without it there is none. */
export type DocsParts = { folder: string | undefined; clock: Clock };

export const createDocs = ({ folder, clock }: DocsParts): DocsService => {
  const passes = new Map<string, number>();

  /** Lists the files of the guide. Only listed paths are read, so a path of a request never reaches the file system. */
  const list = async (): Promise<ReadonlySet<string>> => {
    if (folder === undefined) return new Set();
    const found = await readdir(folder, { recursive: true }).catch(unlessMissing);
    return new Set(found?.map((path) => path.split(sep).join('/')));
  };

  return {
    async file(path) {
      const type = mime.contentType(extname(path));
      if (folder === undefined || type === false || !(await list()).has(path)) return undefined;
      // Removed by a rebuild since it was listed.
      const bytes = await readFile(join(folder, path)).catch(unlessMissing);
      return bytes === undefined ? undefined : { bytes, type };
    },
    pass() {
      const now = clock.now();
      for (const [word, until] of passes) if (until < now || passes.size >= MAX_PASSES) passes.delete(word);
      const word = randomBytes(24).toString('base64url');
      passes.set(word, now + PASS_MS);
      return word;
    },
    isPass: (word) => (passes.get(word) ?? 0) >= clock.now(),
  };
};
