import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../../wire/values.ts';
import { MAP_OUTLINES_FILE, type MapOutlines } from '../../../wire/map-outlines.ts';

/**
 * Returns a function that reads and caches the outlines of maps. It resolves to undefined if the dashboard was not
 * built.
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
