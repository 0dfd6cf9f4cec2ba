/** Returns false for null and arrays. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

export const messageOf = (thrown: unknown): string => asError(thrown).message;

/** Returns the code of a Node.js or SQLite error, e.g. `ENOSPC`; empty for any other value. */
export const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';

/** Returns true if a file's path is below a folder. */
export const isInFolder = (folder: string, path: string | null): boolean => path?.startsWith(`${folder}/`) === true;
