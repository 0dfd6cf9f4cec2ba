import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { parse } from 'content-disposition';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { diskName, foldedName, insertNumber, isSafeName } from '../server/pda/files/content/disk-names.ts';
import { ownerFileSchema } from '../server/wire/files.ts';
import { createFileRecord, putContent, readFileRecord, storeFile } from './support/files.ts';
import { startTestPda, type TestPda } from './support/test-pda.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda({ watchesFiles: true });
});
afterAll(() => pda.close());

const pathOf = async (fileId: string): Promise<string> =>
  ownerFileSchema.parse((await pda.call('GET', `/api/v2.6/owner/files/file/${fileId}`)).json).path ?? '';
const fetchContent = async (fileId: string): Promise<Response> =>
  fetch((await readFileRecord(pda, fileId)).contentUrl ?? '');

const HOSTILE_NAMES = [
  '../../etc/passwd',
  '..\\..\\windows\\system32',
  '/absolute/path.txt',
  'C:\\boot.ini',
  '..',
  '.',
  '.hidden',
  'CON',
  'con.txt',
  'LPT1.log',
  'trailing. . .',
  ' spaces ',
  'a<b>c:d"e|f?g*h.txt',
  'new\nline\r.txt',
  'bell\u0007.txt',
  '\u202Egnp.exe',
  'zero\u200Bwidth.txt',
  'caf\u00e9.txt',
  'cafe\u0301.txt',
  'CAFÉ.TXT',
  '日本語のファイル.txt',
  '🎉'.repeat(60),
  `${'x'.repeat(250)}.txt`,
  '.'.repeat(255),
  '%2e%2e%2f',
  '-rf',
  '~',
  'file.txt:stream',
];

describe('hostile names', () => {
  it('are stored unchanged, stay below the folder, and never collide on the disk', async () => {
    const paths = new Set<string>();
    for (const name of HOSTILE_NAMES) {
      for (const source of ['test', name]) {
        const { fileId } = await storeFile(pda, name, `content of ${name} of ${source}`, { source });
        const file = await readFileRecord(pda, fileId);
        expect([file.name, file.source]).toEqual([name, source]);
        expect(fileId).toMatch(/^[a-z0-9-]+(?:\.[a-z0-9-]+)?$/u);
        const path = await pathOf(fileId);
        const segments = path.split('/');
        expect(segments).toHaveLength(2);
        for (const segment of segments) expect(isSafeName(segment)).toBe(true);
        expect(paths.has(foldedName(path))).toBe(false);
        paths.add(foldedName(path));
        const diskPath = join(pda.home, 'files', ...segments);
        expect(lstatSync(diskPath).isFile()).toBe(true);
        expect(readFileSync(diskPath, 'utf8')).toBe(`content of ${name} of ${source}`);
        if (source === 'test')
          expect(await (await fetch(file.contentUrl ?? '')).text()).toBe(`content of ${name} of ${source}`);
      }
    }
  });

  it('get safe names on the disk, with and without a number', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (name) => {
        const safeName = diskName(name);
        expect(isSafeName(safeName)).toBe(true);
        expect(isSafeName(insertNumber(safeName, 12))).toBe(true);
        expect(diskName(safeName)).toBe(safeName);
      }),
      { numRuns: Number(process.env['PDA_RUNS'] ?? 20) },
    );
  });

  it('are refused above 255 bytes or with a NUL', async () => {
    for (const name of ['x'.repeat(256), 'é'.repeat(128), 'a\0b'])
      expect((await pda.call('POST', '/api/v2.6/files/upload', { json: { name, source: 'test' } })).status).toBe(400);
  });

  it('cannot inject headers', async () => {
    const name = 'a"; filename=evil.html\r\nx-evil: 1; %22.txt';
    const { fileId } = await storeFile(pda, name, 'x');
    const response = await fetchContent(fileId);
    expect(response.headers.get('x-evil')).toBeNull();
    expect(parse(response.headers.get('content-disposition') ?? '')).toMatchObject({
      type: 'inline',
      parameters: { filename: name },
    });
  });
});

describe('content on the disk', () => {
  it('is not served if it was replaced by a link', async () => {
    const secret = join(pda.home, 'secret.txt');
    writeFileSync(secret, 'the secret of the machine');
    const { fileId } = await storeFile(pda, 'swapped.txt', 'mine');
    const path = join(pda.home, 'files', await pathOf(fileId));
    const { contentUrl = '' } = await readFileRecord(pda, fileId);
    rmSync(path);
    symlinkSync(secret, path);
    const response = await fetch(contentUrl);
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(await response.text()).not.toContain('secret of the machine');
  });

  it('is not served through a folder that was replaced by a link', async () => {
    const { fileId } = await storeFile(pda, 'inside.txt', 'mine', { source: 'replaced' });
    const { contentUrl = '' } = await readFileRecord(pda, fileId);
    const otherFolder = join(pda.home, 'elsewhere');
    mkdirSync(otherFolder);
    writeFileSync(join(otherFolder, 'inside.txt'), 'other');
    const folder = join(pda.home, 'files', 'replaced');
    renameSync(folder, join(pda.home, 'replaced-away'));
    symlinkSync(otherFolder, folder);
    const response = await fetch(contentUrl);
    expect(response.status).toBeGreaterThanOrEqual(400);
    // No new file is written through the link, either.
    const nextFile = await createFileRecord(pda, 'next.txt', { source: 'replaced' });
    await putContent(nextFile.contentUrl, 'x');
    expect((await pda.call('PUT', `/api/v2.6/files/file/${nextFile.fileId}/complete`)).status).toBe(409);
    expect(readdirSync(otherFolder)).toEqual(['inside.txt']);
    rmSync(folder);
    expect((await pda.call('PUT', `/api/v2.6/files/file/${nextFile.fileId}/complete`)).status).toBe(200);
  });

  it('is never overwritten if the owner put it there', async () => {
    const folder = join(pda.home, 'files', 'letters');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'letter.txt'), 'by hand');
    const { fileId } = await storeFile(pda, 'letter.txt', 'by upload', { source: 'letters' });
    expect(readFileSync(join(folder, 'letter.txt'), 'utf8')).toBe('by hand');
    expect(await pathOf(fileId)).toBe('letters/letter (1).txt');
    await pda.call('DELETE', `/api/v2.6/files/file/${fileId}`);
    writeFileSync(join(folder, 'letter (1).txt'), 'by hand too');
    await pda.call('POST', `/api/v2.6/owner/files/file/${fileId}/restore`);
    expect(readFileSync(join(folder, 'letter (1).txt'), 'utf8')).toBe('by hand too');
    expect(await (await fetchContent(fileId)).text()).toBe('by upload');
  });
});

describe('active content', () => {
  const PAGES: [name: string, text: string][] = [
    ['page.html', '<!doctype html><script>alert(1)</script>'],
    ['picture.png', '<html><script>alert(1)</script></html>'],
    ['notes.txt', 'harmless?\n<script>alert(1)</script>'],
    ['drawing.svg', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
    ['feed.xml', '<?xml version="1.0"?><x xmlns:h="http://www.w3.org/1999/xhtml"><h:script>alert(1)</h:script></x>'],
    ['code.js', 'alert(1)'],
    ['style.css', 'body{}'],
    ['sheet.xhtml', '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><script>alert(1)</script></html>'],
  ];

  it.skipIf(!IS_THOROUGH_RUN)('is served only as a sandboxed download, regardless of its name', async () => {
    for (const [name, text] of PAGES) {
      const { fileId } = await storeFile(pda, name, text, { source: 'active' });
      await pda.call('GET', `/api/v2.6/files/allowAccessPublic/${fileId}`);
      const response = await fetch(`http://${pda.host}/api/v2.6/files/content/${fileId}`);
      expect([name, response.headers.get('content-type')]).toEqual([name, 'application/octet-stream']);
      expect(response.headers.get('content-disposition')).toMatch(/^attachment;/u);
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('content-security-policy')).toContain('sandbox');
      expect(await response.text()).toBe(text);
    }
  });

  it('is distinguished from text, images and PDF, which are displayed inline with their detected types', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
      'base64',
    );
    const typeOf = async (name: string, bytes: string | Uint8Array<ArrayBuffer>) => {
      const response = await fetchContent((await storeFile(pda, name, bytes, { source: 'plain' })).fileId);
      return [response.headers.get('content-type'), response.headers.get('content-disposition')?.split(';')[0]];
    };
    expect(await typeOf('no-name', new Uint8Array(png))).toEqual(['image/png', 'inline']);
    expect(await typeOf('a.html', 'just words')).toEqual(['text/plain; charset=utf-8', 'inline']);
    expect(await typeOf('b.bin', '%PDF-1.7\n%âãÏÓ\n1 0 obj')).toEqual(['application/pdf', 'inline']);
    expect(await typeOf('c.txt', new Uint8Array([0, 1, 2, 255]))).toEqual(['application/octet-stream', 'attachment']);
  });
});
