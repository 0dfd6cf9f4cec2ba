/** Helpers for values of unknown type: parsed JSON, and whatever was thrown. */

/** True for a JSON object: neither null nor an array. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Anything can be thrown. Errors stay as they are, everything else becomes one. */
export const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

export const messageOf = (thrown: unknown): string => asError(thrown).message;

/** The code of a Node.js or SQLite error, e.g. `ENOSPC`; empty for every other value. */
export const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';
