import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../../wire/values.ts';
import { MAP_OUTLINES_FILE, type MapOutlines } from '../../../wire/map-outlines.ts';

/**
 * Creates a function that reads the outlines of maps once and caches them. It resolves to undefined if the dashboard
 * was not built.
 *
 * @param dashboard folder of the built dashboard; undefined if there is none
 */
export const createOutlinesReader = (dashboard: string | undefined): (() => Promise<MapOutlines | undefined>) => {
  let outlines: Promise<MapOutlines | undefined> | undefined;
  const read = async (folder: string): Promise<MapOutlines | undefined> => {
    try {
      return JSON.parse(await readFile(join(folder, MAP_OUTLINES_FILE), 'utf8')) as MapOutlines;
    } catch (error) {
      outlines = undefined;
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  };
  return async () => {
    if (dashboard === undefined) return undefined;
    outlines ??= read(dashboard);
    return outlines;
  };
};
