import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { newFolder, removeFolders } from '../../../../../tests/support/server-process.ts';
import { createZipWriter } from '../../../../platform/archive/zip-writer.ts';
import { BrokenArchive, type Member } from './source.ts';
import { zipMembers } from './zip.ts';

afterAll(removeFolders);

const textOf = async (member: Member | undefined): Promise<string> => {
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
      { maxBytes: 100, level: 6 },
      (async function* () {
        yield Buffer.from(`text of ${name}`);
      })(),
    );
  await writer.end();
  return Buffer.concat(chunks);
};

const membersOf = async (archive: Buffer): Promise<Member[]> => {
  const path = join(newFolder(), 'odd.zip');
  writeFileSync(path, archive);
  const members: Member[] = [];
  for await (const member of zipMembers({ path, start: 0, size: archive.length, name: 'odd.zip' }))
    members.push(member);
  return members;
};

const CENTRAL_HEADER = 'PK\u0001\u0002';

it('reports only the affected file if its zip64 sizes are missing', async () => {
  const archive = await archiveOf('lost.txt', 'kept.txt');
  archive.writeUInt32LE(0xffff_ffff, archive.indexOf(CENTRAL_HEADER) + 24);
  const members = await membersOf(archive);
  const [lost, kept] = members;
  expect(members.map(({ name }) => name)).toStrictEqual(['lost.txt', 'kept.txt']);
  await expect(textOf(lost)).rejects.toThrow('it is damaged');
  expect(await textOf(kept)).toBe('text of kept.txt');
});

it('reads an archive with trailing bytes', async () => {
  const [first] = await membersOf(Buffer.concat([await archiveOf('a.txt'), Buffer.alloc(500, 1)]));
  expect(await textOf(first)).toBe('text of a.txt');
});

it('reports a wrong checksum, an unknown method and encryption of one file as a broken archive', async () => {
  const cases: [offset: number, value: number, problem: string][] = [
    [16, 1, 'it is damaged'],
    [10, 12, 'it uses a compression method that is not supported'],
    [8, 1, 'it is encrypted'],
  ];
  for (const [offset, value, problem] of cases) {
    const archive = await archiveOf('a.txt');
    archive.writeUInt16LE(value, archive.indexOf(CENTRAL_HEADER) + offset);
    const [first] = await membersOf(archive);
    await expect(textOf(first)).rejects.toThrow(new BrokenArchive(problem));
  }
});
