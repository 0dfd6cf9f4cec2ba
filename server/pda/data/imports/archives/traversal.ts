import { HEAD_BYTES, mayBeImportable, detectReader, type ReaderName } from '../formats/registry.ts';
import { BrokenArchive, readHead, readSourceRange, type ArchiveMember, type Source } from './source.ts';
import { tarMembers } from './tar.ts';
import { zipMembers } from './zip.ts';

export type RecognisedFile = {
  /** Index of the source. */
  readonly source: number;
  /** Index of the member of an archive; 0 if the source is not an archive. */
  readonly member: number;
  /** Name of the file. In an archive, the name of the archive precedes it. */
  readonly name: string;
  readonly reader: ReaderName;
  readonly size: number;
  /** Estimated bytes of the source that precede this file. */
  readonly precedingBytes: number;
  /** Estimated bytes of the source that this file takes; 0 in a tar archive. */
  readonly packedBytes: number;
  content(): AsyncGenerator<Buffer>;
};

type TraversalHandlers = {
  readFile(file: RecognisedFile): Promise<void>;
  /** Called for a file without importable content. */
  skipFile(): void;
  /** Called for an archive or a member that cannot be read completely. */
  reportBroken(source: Source, problem: string): void;
  /** Called repeatedly while an archive is read. Returns false to end the search for files in this archive. */
  shouldContinue(): boolean;
};

type SourceKind = 'zip' | 'gzip' | 'file';

export const kindOfSource = async (source: Source): Promise<SourceKind> => {
  const head = await readHead(wholeFile(source), 4);
  if (head.length >= 4 && head[0] === 0x50 && head[1] === 0x4b && (head[2] === 3 || head[2] === 5)) return 'zip';
  return head[0] === 0x1f && head[1] === 0x8b ? 'gzip' : 'file';
};

const wholeFile = (source: Source): ArchiveMember => ({
  index: 0,
  name: source.name,
  size: source.size,
  packedBytes: source.size,
  content: () => readSourceRange(source, 0, source.size),
});

/** Reads the head of a member and returns it with the whole content, for members that can be read only once. */
const splitHead = async (member: ArchiveMember): Promise<{ head: Buffer; content: () => AsyncGenerator<Buffer> }> => {
  const remainder = member.content();
  const chunks: Buffer[] = [];
  let bytes = 0;
  while (bytes < HEAD_BYTES) {
    const next = await remainder.next();
    if (next.done === true) break;
    chunks.push(Buffer.from(next.value));
    bytes += next.value.length;
  }
  return {
    head: Buffer.concat(chunks).subarray(0, HEAD_BYTES),
    content: async function* () {
      yield* chunks;
      yield* remainder;
    },
  };
};

const filesInZip = async (
  source: Source,
  sourceIndex: number,
  handlers: TraversalHandlers,
): Promise<RecognisedFile[]> => {
  const files: RecognisedFile[] = [];
  const members: ArchiveMember[] = [];
  for await (const member of zipMembers(source)) {
    if (!handlers.shouldContinue()) break;
    if (mayBeImportable(member.name) && member.size > 0) members.push(member);
    else handlers.skipFile();
  }
  for (const member of members) {
    if (!handlers.shouldContinue()) break;
    const name = `${source.name}/${member.name}`;
    let head: Buffer;
    try {
      head = await readHead(member, HEAD_BYTES);
    } catch (error) {
      if (!(error instanceof BrokenArchive)) throw error;
      handlers.reportBroken({ ...source, name }, error.message);
      continue;
    }
    const reader = detectReader(member.name, head);
    if (reader === undefined) {
      handlers.skipFile();
      continue;
    }
    const { index, size, packedBytes, content } = member;
    files.push({ source: sourceIndex, member: index, name, reader, size, packedBytes, precedingBytes: 0, content });
  }
  return files;
};

const readTar = async (source: Source, sourceIndex: number, handlers: TraversalHandlers): Promise<void> => {
  let compressedBytes = 0;
  const onRead = (bytes: number): boolean => {
    compressedBytes = bytes;
    return handlers.shouldContinue();
  };
  for await (const member of tarMembers(source, onRead)) {
    if (!mayBeImportable(member.name)) {
      handlers.skipFile();
      continue;
    }
    const { head, content } = await splitHead(member);
    const reader = detectReader(member.name, head);
    if (reader === undefined) {
      handlers.skipFile();
      continue;
    }
    const { index, size } = member;
    const name = `${source.name}/${member.name}`;
    const position = { source: sourceIndex, member: index, packedBytes: 0, precedingBytes: compressedBytes };
    await handlers.readFile({ ...position, name, reader, size, content });
  }
};

/**
 * Visits the files of all sources in a stable order, so that a cursor stays valid after an interruption.
 * @param smallestFirst visits the files of a zip archive by ascending size, for previews
 * @param chosenReader reader that the owner chose for a file that is not an archive
 */
export const traverseSources = async (
  sources: readonly Source[],
  handlers: TraversalHandlers,
  { smallestFirst = false, chosenReader }: { smallestFirst?: boolean; chosenReader?: ReaderName | undefined } = {},
): Promise<void> => {
  for (const [sourceIndex, source] of sources.entries()) {
    try {
      const kind = await kindOfSource(source);
      if (kind === 'gzip') await readTar(source, sourceIndex, handlers);
      else if (kind === 'zip') {
        const files = await filesInZip(source, sourceIndex, handlers);
        const packedTotal = Math.max(
          1,
          files.reduce((sum, file) => sum + file.packedBytes, 0),
        );
        // Scales compressed sizes to the size of the whole archive.
        const scale = source.size / packedTotal;
        let processedBytes = 0;
        const orderedFiles = smallestFirst ? files.toSorted((a, b) => a.size - b.size) : files;
        for (const file of orderedFiles) {
          try {
            await handlers.readFile({
              ...file,
              precedingBytes: Math.floor(processedBytes * scale),
              packedBytes: Math.floor(file.packedBytes * scale),
            });
          } catch (error) {
            if (!(error instanceof BrokenArchive)) throw error;
            handlers.reportBroken({ ...source, name: file.name }, error.message);
          }
          processedBytes += file.packedBytes;
        }
      } else {
        const reader = chosenReader ?? detectReader(source.name, await readHead(wholeFile(source), HEAD_BYTES));
        if (reader === undefined) handlers.skipFile();
        else {
          const { name, size, packedBytes, content } = wholeFile(source);
          const position = { source: sourceIndex, member: 0, packedBytes, precedingBytes: 0 };
          await handlers.readFile({ ...position, name, reader, size, content });
        }
      }
    } catch (error) {
      if (!(error instanceof BrokenArchive)) throw error;
      handlers.reportBroken(source, error.message);
    }
  }
};
