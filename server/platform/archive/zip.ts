import { stat } from 'node:fs/promises';
import type { Entry } from 'yauzl';
import type { Failure } from '../failure.ts';
import {
  entryOf,
  isZipBomb,
  openZipFile,
  unpackEntry,
  toZipProblem,
  ZipProblem,
  type ZipEntry,
} from './zip-entries.ts';

// Opens ZIP files from untrusted sources. Checks the whole central directory before anything is unpacked, and refuses
// links, devices, encryption, names that leave the folder, duplicate names, and more bytes or entries than allowed.

export type { ZipEntry } from './zip-entries.ts';

export type Zip = {
  /** Files only; folders are left out. */
  entries: readonly ZipEntry[];
  /**
   * Unpacks an entry.
   * @throws the Failure of `limits.refuse` if the content is damaged, or the error of the file system
   */
  content(entry: ZipEntry): AsyncGenerator<Buffer>;
};

export type ZipLimits = {
  /** Size of the ZIP file. */
  packedBytes: number;
  /** Bytes of all unpacked entries. */
  unpackedBytes: number;
  /** Number of entries, including folders. */
  entries: number;
  /** Size of the central directory. */
  listBytes: number;
  /** `problem` is a phrase such as "it is encrypted". */
  refuse: (problem: string) => Failure;
};

/** Upper byte of `versionMadeBy`; the external attributes then contain a Unix mode (APPNOTE.TXT, 4.4.2). */
const MADE_BY_UNIX = 3;
const FILE_TYPE_MASK = 0o170_000;
const REGULAR_FILE = 0o100_000;
const DIRECTORY = 0o040_000;
const CENTRAL_HEADER_BYTES = 46;
/** Problems that are reported as they are; all others become `NOT_A_ZIP`. */
const REPORTED_PROBLEMS = new Set(['it is one part of a split archive; join the parts first', 'it is encrypted']);
const NOT_A_ZIP = 'it is damaged or not a ZIP file';

/**
 * Opens a ZIP file and checks its central directory.
 * @throws the Failure that `limits.refuse` created, or the error of the file system
 */
export const openZip = async (path: string, limits: ZipLimits): Promise<Zip> => {
  const { refuse } = limits;
  const toRefusal = (error: unknown): unknown => {
    const problem = toZipProblem(error);
    if (!(problem instanceof ZipProblem)) return problem;
    return refuse(REPORTED_PROBLEMS.has(problem.message) ? problem.message : NOT_A_ZIP);
  };

  const nameOf = ({ fileNameRaw }: Entry): string => {
    let name: string;
    try {
      name = new TextDecoder('utf-8', { fatal: true }).decode(fileNameRaw);
    } catch {
      throw refuse('a file name in it is not UTF-8');
    }
    const segments = name.replace(/\/$/u, '').split('/');
    // Rejects control characters, names that leave the folder, and drives and separators of other systems.
    if (segments.some((segment) => segment === '' || segment === '.' || segment === '..') || /[\\:\p{Cc}]/u.test(name))
      throw refuse(`the name ${JSON.stringify(name.slice(0, 200))} is not a plain relative path`);
    return name;
  };

  const checkKind = (name: string, { versionMadeBy, externalFileAttributes }: Entry): void => {
    const type = versionMadeBy >>> 8 === MADE_BY_UNIX ? (externalFileAttributes >>> 16) & FILE_TYPE_MASK : 0;
    if (type !== 0 && type !== REGULAR_FILE && type !== DIRECTORY) throw refuse(`${name} is a link or a device`);
  };

  const { size: fileBytes } = await stat(path);
  if (fileBytes > limits.packedBytes) throw refuse(`it is larger than ${limits.packedBytes} bytes`);
  try {
    const zip = await openZipFile({ path, start: 0, size: fileBytes });
    if (zip.entryCount > limits.entries) throw refuse('it contains too many files and folders');
    const entries: ZipEntry[] = [];
    const names = new Set<string>();
    let [listBytes, packedBytes, unpackedBytes] = [0, 0, 0];
    for await (const rawEntry of zip.eachEntry()) {
      listBytes +=
        CENTRAL_HEADER_BYTES + rawEntry.fileNameLength + rawEntry.extraFieldLength + rawEntry.fileCommentLength;
      if (listBytes > limits.listBytes) throw refuse('its list of files is too large');
      const name = nameOf(rawEntry);
      checkKind(name, rawEntry);
      if (rawEntry.isEncrypted()) throw refuse('it is encrypted');
      if (!rawEntry.canDecodeFileData()) throw refuse(`${name} uses a compression method that is not supported`);
      // With duplicate names, the result would depend on the order of unpacking.
      if (names.has(name.toLowerCase())) throw refuse(`it contains ${name} twice`);
      names.add(name.toLowerCase());
      const entry = entryOf(name, rawEntry);
      // Rejects overlapping entries: the same bytes under many names could unpack to more than the disk can store.
      packedBytes += entry.packed;
      if (packedBytes > fileBytes) throw refuse(NOT_A_ZIP);
      unpackedBytes += entry.size;
      if (unpackedBytes > limits.unpackedBytes)
        throw refuse(`its unpacked content is larger than ${limits.unpackedBytes} bytes`);
      if (isZipBomb(entry)) throw refuse(`${name} claims an impossible size`);
      if (!name.endsWith('/')) entries.push(entry);
    }
    return {
      entries,
      async *content(entry) {
        try {
          yield* unpackEntry(zip, entry);
        } catch (error) {
          throw toRefusal(error);
        }
      },
    };
  } catch (error) {
    throw toRefusal(error);
  }
};
