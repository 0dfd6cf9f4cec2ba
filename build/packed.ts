import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where the packed server is, below the project's root; `server/pda/entry.js` looks there. */
export const PACKED = 'dist/server';

/** An npm install rewrites it, so it stands for all packages. */
export const INSTALLED = 'node_modules/.package-lock.json';

/** One file that the packed server was made from: its path below the root, milliseconds of its last change, bytes. */
export type Input = readonly [path: string, changedMs: number, bytes: number];

/** As the file is now. @throws when it is not there */
export const inputOf = (root: string, path: string): Input => {
  const { mtimeMs, size } = statSync(join(root, path));
  return [path, mtimeMs, size];
};

const listFile = (root: string): string => join(root, PACKED, 'packed-from.json');

/** Whether what is packed is of the sources and packages as they are now. A start decides it likewise, by itself: server/pda/entry.js. */
export const isPacked = (root: string): boolean => {
  try {
    const inputs = JSON.parse(readFileSync(listFile(root), 'utf8')) as readonly Input[];
    return inputs.every((input) => JSON.stringify(inputOf(root, input[0])) === JSON.stringify(input));
  } catch {
    // The list is not there or not whole, or a source has gone.
    return false;
  }
};

/** From here on the sources run. */
export const forgetPacked = (root: string): void => rmSync(listFile(root), { force: true });

/** Says what the packed server was made from. Nothing: it is used as it is, whatever stands beside it. */
export const writePackedFrom = (root: string, inputs: readonly Input[]): void => {
  const file = listFile(root);
  // All or nothing: half a list would pass for a whole one.
  writeFileSync(`${file}.new`, JSON.stringify(inputs));
  renameSync(`${file}.new`, file);
};
