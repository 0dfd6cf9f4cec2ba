import { createHash, randomBytes } from 'node:crypto';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { type Page, expect } from '@playwright/test';
import { CHUNK_MAX_BYTES } from '../../renderer/dashboard/api/files/upload-rate.ts';
import { PNG_SIGNATURE, pngChunk } from '../support/png.ts';
import type { Pda } from './pda.ts';

export function png(red = 20, green = 113, blue = 106): Buffer {
  const side = 48;
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  head.set([8, 2], 8);
  const row = Buffer.concat([Buffer.of(0), Buffer.alloc(side * 3, Buffer.of(red, green, blue))]);
  const rows = Buffer.concat(Array.from({ length: side }, () => row));
  return Buffer.concat([
    PNG_SIGNATURE,
    pngChunk('IHDR', head),
    pngChunk('IDAT', deflateSync(rows)),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Returns half a second of a tone: mono, 8 bits, 8 kHz. */
export function wav(): Buffer {
  const sampleCount = 4000;
  const sound = Buffer.alloc(44 + sampleCount);
  sound.write('RIFF', 0);
  sound.writeUInt32LE(36 + sampleCount, 4);
  sound.write('WAVEfmt ', 8);
  sound.writeUInt32LE(16, 16);
  sound.writeUInt16LE(1, 20);
  sound.writeUInt16LE(1, 22);
  sound.writeUInt32LE(8000, 24);
  sound.writeUInt32LE(8000, 28);
  sound.writeUInt16LE(1, 32);
  sound.writeUInt16LE(8, 34);
  sound.write('data', 36);
  sound.writeUInt32LE(sampleCount, 40);
  for (let index = 0; index < sampleCount; index += 1) sound[44 + index] = 128 + Math.round(60 * Math.sin(index / 3));
  return sound;
}

/** Returns a PDF file of one page with one word. */
export function pdf(): Buffer {
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/MediaBox[0 0 300 200]/Parent 2 0 R/Resources<</Font<</F1 4 0 R>>>>/Contents 5 0 R>>',
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    '<</Length 41>>stream\nBT /F1 24 Tf 50 100 Td (Statement) Tj ET\nendstream',
  ];
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj${object}endobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const xrefOffset = text.length;
  text += `xref\n0 6\n0000000000 65535 f \n${offsets.join('')}trailer<</Size 6/Root 1 0 R>>\n`;
  text += `startxref\n${xrefOffset}\n%%EOF`;
  return Buffer.from(text);
}

export const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

/** Writes a file to this machine, with a modification time in the past, like that of a real file. */
export async function writeToDisk(path: string, content: Buffer | string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
  const past = new Date('2024-05-06T07:08:09Z');
  await utimes(path, past, past);
  return path;
}

/** Writes `film.bin`, a file of more than three chunks with random content. */
export async function writeLargeFile(folder: string): Promise<{ path: string; content: Buffer }> {
  const content = randomBytes(3 * CHUNK_MAX_BYTES + 1234);
  return { path: await writeToDisk(join(folder, 'film.bin'), content), content };
}

interface FileFields {
  name: string;
  source?: string;
  tags?: string[];
  title?: string;
  description?: string;
}

/** Uploads a file through the API. @returns its id */
export async function uploadContent(pda: Pda, content: Buffer | string, fields: FileFields): Promise<string> {
  const { fileId } = (await pda.call('POST', '/api/v2.6/files/upload', { source: 'test', ...fields })) as {
    fileId: string;
  };
  const body = new Uint8Array(Buffer.from(content));
  for (let offset = 0; offset < Math.max(1, body.length); offset += CHUNK_MAX_BYTES) {
    const uploadResponse = await fetch(
      `${pda.url}/api/v2.6/owner/files/file/${fileId}/upload?offset=${offset}&size=${body.length}`,
      {
        method: 'PUT',
        headers: { 'content-type': 'application/octet-stream', 'x-auth-token': pda.currentToken() },
        body: body.subarray(offset, offset + CHUNK_MAX_BYTES),
      },
    );
    expect(uploadResponse.status).toBe(200);
  }
  await pda.call('PUT', `/api/v2.6/files/file/${fileId}/complete`);
  return fileId;
}

interface ListedFile {
  file: { fileId: string; name: string; source: string; tags?: string[]; title?: string; description?: string };
  sha256: string | null;
}

export async function listFiles(pda: Pda, query = ''): Promise<ListedFile[]> {
  return ((await pda.call('GET', `/api/v2.6/owner/files${query}`)) as { files: ListedFile[] }).files;
}

export async function chooseFiles(page: Page, button: string, paths: string | string[]): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: button, exact: true }).first().click(),
  ]);
  await chooser.setFiles(paths);
}

/** Drops real files and folders onto the page. Scripts in the page cannot do this. */
export async function dropFiles(page: Page, paths: string[]): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: paths, dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver'] as const)
    await session.send('Input.dispatchDragEvent', { type, x: 600, y: 400, data });
  await expect(page.getByText('Drop to upload')).toBeVisible();
  await session.send('Input.dispatchDragEvent', { type: 'drop', x: 600, y: 400, data });
}

/** Holds back chunks at or above an offset until the returned function is called. */
export async function holdChunks(page: Page, minOffset: number): Promise<() => void> {
  let release = (): void => undefined;
  const releaseGate = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/upload?offset=*', async (route) => {
    const offset = Number(new URL(route.request().url()).searchParams.get('offset'));
    if (offset >= minOffset) await releaseGate;
    // A chunk may have been cancelled in the meantime.
    await route.continue().catch(() => undefined);
  });
  return release;
}
