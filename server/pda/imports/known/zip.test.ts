import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { newFolder, removeFolders } from '../../../../tests/support/server-process.ts';
import { ELSEWHERE_32, LISTED } from '../../../platform/zip-format.ts';
import { createZipWriter } from '../../../platform/zip-writer.ts';
import type { Member } from './sources.ts';
import { zipMembers } from './zip.ts';

afterAll(removeFolders);

const textOf = async (member: Member | undefined): Promise<string> => {
  const pieces: Buffer[] = [];
  for await (const piece of member?.content() ?? []) pieces.push(piece);
  return Buffer.concat(pieces).toString();
};

it('a file whose numbers are said to stand elsewhere, and do not, is lost alone', async () => {
  const pieces: Buffer[] = [];
  const writer = createZipWriter(async (bytes) => void pieces.push(Buffer.from(bytes)), Date.UTC(2026, 0, 1));
  for (const name of ['lost.txt', 'kept.txt'])
    await writer.add(
      name,
      { upTo: 100, level: 6 },
      (async function* () {
        yield Buffer.from(`text of ${name}`);
      })(),
    );
  await writer.end();
  const archive = Buffer.concat(pieces);
  const mark = Buffer.alloc(4);
  mark.writeUInt32LE(LISTED);
  archive.writeUInt32LE(ELSEWHERE_32, archive.indexOf(mark) + 24);
  const path = join(newFolder(), 'odd.zip');
  writeFileSync(path, archive);
  const members: Member[] = [];
  for await (const member of zipMembers({ path, start: 0, size: archive.length, name: 'odd.zip' }))
    members.push(member);
  const [lost, kept] = members;
  expect(members.map(({ name }) => name)).toStrictEqual(['lost.txt', 'kept.txt']);
  await expect(textOf(lost)).rejects.toThrow('it is damaged');
  expect(await textOf(kept)).toBe('text of kept.txt');
});
