import type { Entry, ZipFile } from 'yauzl';
import {
  entryOf,
  isZipBomb,
  openZipFile,
  unpackEntry,
  type ZipEntry,
  toZipProblem,
  ZipProblem,
} from '../../../../platform/archive/zip-entries.ts';
import { BrokenArchive, readAt, type ArchiveMember, type Source } from './source.ts';

const MAX_ENTRIES = 5_000_000;
const UTF8_NAME_FLAG = 1 << 11;
/** End of central directory record (APPNOTE 4.3.16). */
const END_RECORD_BYTES = 22;
const COMMENT_LENGTH_OFFSET = 20;
const MAX_COMMENT_BYTES = 0xffff;
const END_SIGNATURE = Buffer.from('PK\u0005\u0006');

/** Converts an error that comes from the archive into a BrokenArchive. Returns other errors unchanged. */
const toBrokenArchive = (error: unknown): unknown => {
  const problem = toZipProblem(error);
  return problem instanceof ZipProblem ? new BrokenArchive(problem.message) : problem;
};

/** Returns the size of the archive without trailing bytes, which yauzl rejects. @throws BrokenArchive */
const sizeOf = async (source: Source): Promise<number> => {
  const length = Math.min(source.size, END_RECORD_BYTES + MAX_COMMENT_BYTES);
  const tail = await readAt(source, source.size - length, length);
  const endRecordStart = tail
    .subarray(0, Math.max(0, length - END_RECORD_BYTES + END_SIGNATURE.length))
    .lastIndexOf(END_SIGNATURE);
  if (endRecordStart < 0) throw new BrokenArchive('its end is missing: it is incomplete or not a zip archive');
  const end = endRecordStart + END_RECORD_BYTES + tail.readUInt16LE(endRecordStart + COMMENT_LENGTH_OFFSET);
  return source.size - length + Math.min(end, length);
};

const nameOf = ({ generalPurposeBitFlag, fileNameRaw }: Entry): string => {
  if ((generalPurposeBitFlag & UTF8_NAME_FLAG) !== 0) return fileNameRaw.toString('utf8');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(fileNameRaw);
  } catch {
    return fileNameRaw.toString('latin1');
  }
};

async function* contentOf(zip: ZipFile, entry: ZipEntry): AsyncGenerator<Buffer> {
  if (isZipBomb(entry)) throw new BrokenArchive('it is damaged');
  try {
    yield* unpackEntry(zip, entry);
  } catch (error) {
    throw toBrokenArchive(error);
  }
}

/** Yields the files of an archive in the order of its central directory, without folders. @throws BrokenArchive */
export async function* zipMembers(source: Source): AsyncGenerator<ArchiveMember> {
  const size = await sizeOf(source);
  try {
    const zip = await openZipFile({ ...source, size });
    if (zip.entryCount > MAX_ENTRIES)
      throw new BrokenArchive(`it has more than ${MAX_ENTRIES / 1_000_000} million entries`);
    let index = 0;
    // Entries that share their bytes can turn a small archive into a huge one (zip bomb).
    let packedSoFar = 0;
    for await (const header of zip.eachEntry()) {
      const entry = entryOf(nameOf(header), header);
      packedSoFar += entry.packed;
      if (packedSoFar > source.size) throw new BrokenArchive('its entries overlap');
      if (entry.name.endsWith('/')) continue;
      yield {
        index,
        name: entry.name,
        size: entry.size,
        packedBytes: entry.packed,
        content: () => contentOf(zip, entry),
      };
      index += 1;
    }
  } catch (error) {
    throw toBrokenArchive(error);
  }
}
