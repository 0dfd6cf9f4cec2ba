import { dirname } from 'node:path';
import { asDiskFailure, replaceFile, syncFolder } from '../../platform/file-system.ts';

/** Writes the mark so that it is there whole, also after a power cut. @throws Failure out_of_disk */
export const writeMark = (file: string, text: string): void => {
  try {
    replaceFile(file, text);
    syncFolder(dirname(file));
  } catch (error) {
    throw asDiskFailure(error);
  }
};
