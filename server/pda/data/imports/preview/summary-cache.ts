import type { BankOptions, DetectedExport } from '../../../../wire/imports.ts';

/** As many are remembered. */
const MAX_LOOKS = 20;

/** Looks into exports that are remembered, so that a page that is opened again does not count once more. */
export const createLooks = () => {
  const looks = new Map<string, Promise<DetectedExport>>();
  return {
    /** What was found in the files of this import, read as this bank's; `look` is asked when that is not known. */
    of(
      id: string,
      bank: BankOptions | undefined,
      look: (bank: BankOptions | undefined) => Promise<DetectedExport>,
    ): Promise<DetectedExport> {
      const key = `${id} ${JSON.stringify(bank ?? null)}`;
      const known = looks.get(key);
      if (known !== undefined) return known;
      const found = look(bank);
      for (const oldest of looks.keys()) if (looks.size >= MAX_LOOKS) looks.delete(oldest);
      looks.set(key, found);
      // What failed is tried again.
      found.catch(() => looks.delete(key));
      return found;
    },
    forget(id: string): void {
      for (const key of looks.keys()) if (key.startsWith(id)) looks.delete(key);
    },
  };
};
