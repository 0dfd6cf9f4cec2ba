import { HEAD_BYTES, isWorthALook, readerOf, type ReaderName } from '../formats/registry.ts';
import { BrokenArchive, headOf, rangeOf, type Member, type Source } from './source.ts';
import { tarMembers } from './tar.ts';
import { zipMembers } from './zip.ts';

/** What is to be read of an import, in an order that is the same each time: a place in it means the same after a stop. */

export type Known = {
  readonly source: number;
  readonly member: number;
  /** The name of the file, with the archive it is in. */
  readonly name: string;
  readonly reader: ReaderName;
  readonly size: number;
  /** Bytes of the source that are done when this has been read, as far as that can be said. */
  readonly doneBefore: number;
  readonly packed: number;
  content(): AsyncGenerator<Buffer>;
};

export type Walk = {
  known(known: Known): Promise<void>;
  /** A file of which nothing is read. */
  passedOver(): void;
  /** An archive that cannot be read (on). */
  broken(source: Source, problem: string): void;
  /** Called repeatedly while entries are skipped. Returns false to stop. */
  goesOn(): boolean;
};

type Kind = 'zip' | 'gzip' | 'file';

export const kindOfSource = async (source: Source): Promise<Kind> => {
  const head = await headOf(wholeFile(source), 4);
  if (head.length >= 4 && head[0] === 0x50 && head[1] === 0x4b && (head[2] === 3 || head[2] === 5)) return 'zip';
  return head[0] === 0x1f && head[1] === 0x8b ? 'gzip' : 'file';
};

const wholeFile = (source: Source): Member => ({
  number: 0,
  name: source.name,
  size: source.size,
  packed: source.size,
  content: () => rangeOf(source, 0, source.size),
});

/** Reads on after a look at the beginning, for members that can be read but once. */
const afterHead = async (member: Member): Promise<{ head: Buffer; content: () => AsyncGenerator<Buffer> }> => {
  const rest = member.content();
  const pieces: Buffer[] = [];
  let bytes = 0;
  while (bytes < HEAD_BYTES) {
    const next = await rest.next();
    if (next.done === true) break;
    pieces.push(Buffer.from(next.value));
    bytes += next.value.length;
  }
  return {
    head: Buffer.concat(pieces).subarray(0, HEAD_BYTES),
    content: async function* () {
      yield* pieces;
      yield* rest;
    },
  };
};

const inZip = async (source: Source, at: number, walk: Walk): Promise<Known[]> => {
  const known: Known[] = [];
  const members: Member[] = [];
  for await (const member of zipMembers(source)) {
    if (!walk.goesOn()) break;
    if (isWorthALook(member.name) && member.size > 0) members.push(member);
    else walk.passedOver();
  }
  for (const member of members) {
    if (!walk.goesOn()) break;
    let head: Buffer;
    try {
      head = await headOf(member, HEAD_BYTES);
    } catch (error) {
      if (!(error instanceof BrokenArchive)) throw error;
      walk.broken({ ...source, name: `${source.name}/${member.name}` }, error.message);
      continue;
    }
    const reader = readerOf(member.name, head);
    if (reader === undefined) walk.passedOver();
    else {
      const { number, size, packed } = member;
      const name = `${source.name}/${member.name}`;
      known.push({
        source: at,
        member: number,
        name,
        reader,
        size,
        packed,
        doneBefore: 0,
        content: () => member.content(),
      });
    }
  }
  return known;
};

const inTar = async (source: Source, at: number, walk: Walk): Promise<void> => {
  let raw = 0;
  const onRead = (bytes: number): boolean => {
    raw = bytes;
    return walk.goesOn();
  };
  for await (const member of tarMembers(source, onRead)) {
    if (!isWorthALook(member.name)) {
      walk.passedOver();
      continue;
    }
    const { head, content } = await afterHead(member);
    const reader = readerOf(member.name, head);
    if (reader === undefined) walk.passedOver();
    else {
      const { number, size } = member;
      const name = `${source.name}/${member.name}`;
      await walk.known({ source: at, member: number, name, reader, size, packed: 0, doneBefore: raw, content });
    }
  }
};

/**
 * Goes through all files of an import, one known file after another.
 * @param smallFirst for a look: the large file of an archive comes last
 * @param as what a file is read as that is no archive, where the owner has said so
 */
export const walkSources = async (
  sources: readonly Source[],
  walk: Walk,
  { smallFirst = false, as }: { smallFirst?: boolean; as?: ReaderName | undefined } = {},
): Promise<void> => {
  for (const [at, source] of sources.entries()) {
    try {
      const kind = await kindOfSource(source);
      if (kind === 'gzip') await inTar(source, at, walk);
      else if (kind === 'zip') {
        const known = await inZip(source, at, walk);
        const all = Math.max(
          1,
          known.reduce((sum, one) => sum + one.packed, 0),
        );
        const share = source.size / all;
        let done = 0;
        const ordered = smallFirst ? known.toSorted((a, b) => a.size - b.size) : known;
        for (const one of ordered) {
          try {
            await walk.known({ ...one, doneBefore: Math.floor(done * share), packed: Math.floor(one.packed * share) });
          } catch (error) {
            if (!(error instanceof BrokenArchive)) throw error;
            walk.broken({ ...source, name: one.name }, error.message);
          }
          done += one.packed;
        }
      } else {
        const reader = as ?? readerOf(source.name, await headOf(wholeFile(source), HEAD_BYTES));
        if (reader === undefined) walk.passedOver();
        else {
          const { name, size } = source;
          const content = () => rangeOf(source, 0, size);
          await walk.known({ source: at, member: 0, name, reader, size, packed: size, doneBefore: 0, content });
        }
      }
    } catch (error) {
      if (!(error instanceof BrokenArchive)) throw error;
      walk.broken(source, error.message);
    }
  }
};
