import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { newFolder, removeFolders } from '../../../../../tests/support/server-process.ts';
import { createZipWriter } from '../../../../platform/archive/zip-writer.ts';
import { BrokenArchive, type ArchiveMember } from './source.ts';
import { zipMembers } from './zip.ts';

afterAll(removeFolders);

const textOf = async (member: ArchiveMember | undefined): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of member?.content() ?? []) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};

const archiveOf = async (...names: string[]): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  const writer = createZipWriter(async (bytes) => void chunks.push(Buffer.from(bytes)), Date.UTC(2026, 0, 1));
  for (const name of names)
    await writer.add(
      name,
      { expectedBytes: 100, level: 6 },
      (async function* () {
        yield Buffer.from(`text of ${name}`);
      })(),
    );
  await writer.end();
  return Buffer.concat(chunks);
};

const membersOf = async (archive: Buffer): Promise<ArchiveMember[]> => {
  const path = join(newFolder(), 'odd.zip');
  writeFileSync(path, archive);
  const members: ArchiveMember[] = [];
  for await (const member of zipMembers({ path, start: 0, size: archive.length, name: 'odd.zip' }))
    members.push(member);
  return members;
};

/** Signature of an entry of the central directory (APPNOTE 4.3.12). */
const CENTRAL_HEADER = 'PK\u0001\u0002';

const FLAGS_OFFSET = 8;
const METHOD_OFFSET = 10;
const CHECKSUM_OFFSET = 16;
const UNCOMPRESSED_SIZE_OFFSET = 24;

it('rejects only the affected file if its zip64 sizes are missing', async () => {
  const archive = await archiveOf('damaged.txt', 'intact.txt');
  archive.writeUInt32LE(0xffff_ffff, archive.indexOf(CENTRAL_HEADER) + UNCOMPRESSED_SIZE_OFFSET);
  const members = await membersOf(archive);
  const [damagedMember, intactMember] = members;
  expect(members.map(({ name }) => name)).toStrictEqual(['damaged.txt', 'intact.txt']);
  await expect(textOf(damagedMember)).rejects.toThrow('it is damaged');
  expect(await textOf(intactMember)).toBe('text of intact.txt');
});

it('reads an archive with trailing bytes', async () => {
  const [firstMember] = await membersOf(Buffer.concat([await archiveOf('a.txt'), Buffer.alloc(500, 1)]));
  expect(await textOf(firstMember)).toBe('text of a.txt');
});

it('throws BrokenArchive for a wrong checksum, an unsupported compression method and an encrypted file', async () => {
  const cases: [offset: number, value: number, problem: string][] = [
    [CHECKSUM_OFFSET, 1, 'it is damaged'],
    [METHOD_OFFSET, 12, 'it uses a compression method that is not supported'],
    [FLAGS_OFFSET, 1, 'it is encrypted'],
  ];
  for (const [offset, value, problem] of cases) {
    const archive = await archiveOf('a.txt');
    archive.writeUInt16LE(value, archive.indexOf(CENTRAL_HEADER) + offset);
    const [firstMember] = await membersOf(archive);
    await expect(textOf(firstMember)).rejects.toThrow(new BrokenArchive(problem));
  }
});
