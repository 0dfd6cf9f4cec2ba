import { Failure } from '../../../platform/failure.ts';
import { openZip as openAnyZip, type Zip } from '../../../platform/archive/zip.ts';
import { MAX_FUNCTION_PACKAGE_BYTES } from '../../../wire/limits.ts';

/** Opens the zip file of a package. @throws Failure invalid_input */
export const openZip = (path: string): Promise<Zip> =>
  openAnyZip(path, {
    packedBytes: MAX_FUNCTION_PACKAGE_BYTES,
    unpackedBytes: MAX_FUNCTION_PACKAGE_BYTES,
    entries: 10_000,
    listBytes: 4_000_000,
    refuse: (problem) => new Failure('invalid_input', `This zip file is not taken: ${problem}. Nothing was installed.`),
  });
