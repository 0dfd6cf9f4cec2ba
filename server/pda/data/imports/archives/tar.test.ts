import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, it } from 'vitest';
import { buildTgz } from '../../../../../tests/support/archives.ts';
import { newFolder, removeFolders } from '../../../../../tests/support/server-process.ts';
import { tarMembers } from './tar.ts';

afterAll(removeFolders);

const readAll = async (archive: Buffer): Promise<[name: string, content: string][]> => {
  const path = join(newFolder(), 'archive.tgz');
  writeFileSync(path, archive);
  const files: [string, string][] = [];
  for await (const member of tarMembers({ path, start: 0, size: archive.length, name: 'archive.tgz' }, () => true)) {
    const chunks: Buffer[] = [];
    for await (const chunk of member.content()) chunks.push(Buffer.from(chunk));
    const content = Buffer.concat(chunks);
    expect(member.size).toBe(content.length);
    files.push([member.name, content.toString()]);
  }
  return files;
};

it('reads sizes from extended headers, as for files above 8 GB', async () => {
  const entries = ['a.txt', 'b.txt'].map((name) => ({ name, data: `text of ${name}`.repeat(100) }));
  const archive = buildTgz(entries, { hasPaxSizes: true });
  expect(await readAll(archive)).toEqual(entries.map(({ name, data }) => [name, data]));
});

it('does not report a compressed file as damaged if it is not a tar archive', async () => {
  await expect(readAll(gzipSync('a,b\n'.repeat(1000)))).rejects.toThrow('it is compressed, but not a tar archive');
});
