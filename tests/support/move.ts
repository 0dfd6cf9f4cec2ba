import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createZipWriter } from '../../server/platform/archive/zip-writer.ts';
import { openZip } from '../../server/platform/archive/zip.ts';
import { Failure } from '../../server/platform/failure.ts';
import { moveSchema, type MoveView } from '../../server/wire/move.ts';
import { anApplication } from './applications.ts';
import { aContract } from './contracts.ts';
import { fillHome, requestJson } from './crawl.ts';
import type { GuestBrowser } from './guests.ts';
import { runInProcess } from './run-command.ts';
import { until, type ServerProcess } from './server-process.ts';
import { OWNER } from './test-pda.ts';

// Moves accounts between PDAs, and builds tampered archives.

export const MOVE_PATH = '/api/v2.6/owner/move';
/** Password of a user. It must not appear in an archive. */
export const GUEST_PASSWORD = 'canary of quiet meadows';

/**
 * Applications of the moved account, sorted by id: the order in which a PDA lists applications that are no longer
 * available.
 */
const APPLICATIONS = [
  aContract('steps-study', [['namespacewrite', 'fit']]),
  anApplication({
    id: 'steps-view',
    roles: ['namespaceread', 'namespacewrite'].map((role) => ({ role, detail: 'fit' })),
    data: ['fit/steps'],
  }),
];

/** Writes the list of available applications, which belongs to a PDA and not to the account. */
export const writeApplicationList = (home: string): void =>
  writeFileSync(join(home, 'config.json'), JSON.stringify({ applications: APPLICATIONS }));

/** Writes the application list of a home and installs a function, before the first start. */
export const prepareHome = async (home: string): Promise<void> => {
  writeApplicationList(home);
  const installation = await runInProcess([
    'function',
    'install',
    'examples/functions/activity-summary',
    '--home',
    home,
  ]);
  expect([installation.code, installation.stderr]).toStrictEqual([0, '']);
};

export type FilledAccount = { userId: string; secrets: string[] };

/** Stores data of many kinds. @returns the id of a user and secrets that must not be in an archive */
export const fillAccount = async (server: ServerProcess, home: string): Promise<FilledAccount> => {
  await fillHome(server, home);
  const api = '/api/v2.6';
  await requestJson(server, 'GET', `${api}/applications/steps-view/setup`);
  await requestJson(server, 'GET', `${api}/applications/steps-study/setup`);
  const { accessToken } = await requestJson<{ accessToken: string }>(
    server,
    'GET',
    `${api}/applications/steps-view/access-token`,
  );
  // Reads by an application, for the access history.
  for (let count = 0; count < 20; count += 1) {
    const readReply = await server.call('GET', `${api}/data/fit/steps?take=${10 + count}&skip=${count}`, {
      headers: { 'x-auth-token': accessToken },
    });
    expect(readReply.status).toBe(200);
  }
  const writeReply = await server.call('POST', `${api}/data/fit/weight`, {
    // A number with more digits than a double holds, and a line separator inside a string.
    body: '[{"kilos":1.50,"big":12345678901234567890,"text":"a \\"quoted\\" \u2028 line"}]',
    headers: { 'x-auth-token': accessToken },
  });
  expect(writeReply.status).toBe(201);
  const user = await requestJson<{ userId: string }>(server, 'POST', '/users/user', {
    name: 'grace',
    password: GUEST_PASSWORD,
  });
  const files = await requestJson<{ fileId: string; name: string }[]>(server, 'POST', `${api}/files/search`, {});
  const photoId = files.find(({ name }) => name === 'photo.bin')?.fileId ?? '';
  await requestJson(server, 'GET', `${api}/files/allowAccess/${photoId}/${user.userId}?content=true`);
  await requestJson(server, 'GET', `${api}/files/allowAccessPublic/${photoId}`);
  await shareWithGuest(server, user.userId, photoId);
  // An upload that was announced but never sent.
  const unsentUpload = await requestJson<{ contentUrl: string }>(server, 'POST', `${api}/files/upload`, {
    name: 'later.txt',
    source: 'test',
  });
  return {
    userId: user.userId,
    secrets: [accessToken, GUEST_PASSWORD, OWNER.password, unsentUpload.contentUrl.split('/').at(-1) ?? ''],
  };
};

/** Shares a collection, a table, two charts and a selected record with a user. */
const shareWithGuest = async (server: ServerProcess, userId: string, fileId: string): Promise<void> => {
  const owner = '/api/v2.6/owner';
  const collection = await requestJson<{ collectionId: string }>(server, 'POST', `${owner}/collections`, {
    name: 'Trip',
  });
  const { collectionId } = collection;
  await requestJson(server, 'POST', `${owner}/collections/${collectionId}/files`, { fileIds: [fileId] });
  await requestJson(server, 'POST', `${owner}/shared-collections`, { collectionId, userId });
  const filters = [{ is: 'range', field: 'steps', min: 1900 }];
  const table = {
    kind: 'table',
    selection: { search: '', filters, sorts: [], oldestFirst: true },
    columns: [{ path: 'steps', name: 'Steps' }],
  };
  const charts = [
    { kind: 'distribution', field: 'steps' },
    { kind: 'scatter', field: 'steps', second: 'steps' },
  ];
  const steps = await requestJson<{ recordId: string }[]>(server, 'GET', '/api/v2.6/data/fit/steps?take=1');
  const selectedRecordTable = { ...table, selection: { records: steps.map(({ recordId }) => recordId) } };
  const definitions = [table, ...charts.map((chart) => ({ kind: 'chart', chart })), selectedRecordTable];
  for (const [index, definition] of definitions.entries())
    await requestJson(server, 'POST', `${owner}/shared-views`, {
      endpoint: 'fit/steps',
      name: `View ${index}`,
      userId,
      definition,
    });
};

/**
 * Opens the list of a guest and each table, chart and collection in it.
 * @returns the pages by path, without the parts that differ between requests or servers
 */
export const readGuestPages = async (browser: GuestBrowser, port: number): Promise<Map<string, string>> => {
  const list = await browser.get('/guest');
  const links = list.text.matchAll(/href="(?<path>\/guest\/(?:tables|charts|collections)\/[^"]+)"/gu);
  const pages = new Map<string, string>();
  for (const path of ['/guest', ...[...links].map(({ groups }) => groups?.['path'] ?? '')]) {
    const { status, text } = await browser.get(path);
    const stableText = text.replaceAll(/name="form" value="[^"]+"/gu, '').replaceAll(`:${port}`, '');
    pages.set(path, `${status} ${stableText}`);
  }
  return pages;
};

export const readMoveView = async (server: ServerProcess): Promise<MoveView> =>
  moveSchema.parse(await requestJson(server, 'GET', MOVE_PATH));

/** Exports the account to a file. @returns the path of the download on the server */
export const downloadArchive = async (server: ServerProcess, path: string): Promise<string> => {
  const { url } = await requestJson<{ url: string }>(server, 'POST', `${MOVE_PATH}/exports`, {
    password: OWNER.password,
  });
  const reply = await fetch(`http://127.0.0.1:${server.port}${url}`);
  expect(reply.status).toBe(200);
  expect(reply.headers.get('content-disposition')).toMatch(/^attachment; filename="pda-ada-\d{4}-\d\d-\d\d\.zip"$/u);
  await writeFile(path, new Uint8Array(await reply.arrayBuffer()));
  return url;
};

/** Uploads an archive in two chunks and waits until it has been checked. */
export const uploadArchive = async (server: ServerProcess, file: string): Promise<MoveView> => {
  const content = readFileSync(file);
  await requestJson(server, 'POST', `${MOVE_PATH}/archive`, { fileName: 'ada.zip', size: content.length });
  const chunkBytes = Math.ceil(content.length / 2);
  for (let offset = 0; offset < content.length; offset += chunkBytes) {
    const uploadReply = await server.call('PUT', `${MOVE_PATH}/archive/content?offset=${offset}`, {
      body: content.subarray(offset, offset + chunkBytes),
      headers: { 'content-type': 'application/octet-stream' },
    });
    expect(uploadReply.status, uploadReply.text).toBe(200);
  }
  return waitUntilChecked(server);
};

const waitUntilChecked = (server: ServerProcess): Promise<MoveView> =>
  until(async () => {
    const view = await readMoveView(server);
    return view.archive?.state === 'checking' ? undefined : view;
  }, 'the archive was checked');

/** Reads the files of an archive, by name. */
export const readArchive = async (file: string): Promise<Map<string, Buffer>> => {
  const zip = await openZip(file, {
    packedBytes: 1e9,
    unpackedBytes: 1e9,
    entries: 10_000,
    listBytes: 1e7,
    refuse: (problem) => new Failure('invalid_input', problem),
  });
  const files = new Map<string, Buffer>();
  for (const entry of zip.entries) {
    const chunks: Buffer[] = [];
    for await (const chunk of zip.content(entry)) chunks.push(chunk);
    files.set(entry.name, Buffer.concat(chunks));
  }
  return files;
};

async function* singleChunk(content: Buffer): AsyncGenerator<Buffer> {
  yield content;
}

export const writeArchive = async (files: Iterable<readonly [string, Buffer]>, path: string): Promise<string> => {
  const chunks: Buffer[] = [];
  const zip = createZipWriter((bytes) => {
    chunks.push(bytes);
    return Promise.resolve();
  }, Date.now());
  for (const [name, content] of files)
    await zip.add(name, { expectedBytes: content.length, level: 6 }, singleChunk(content));
  await zip.end();
  await writeFile(path, Buffer.concat(chunks));
  return path;
};

type Manifest = { version: number; parts: { file: string; lines: number; bytes: number; sha256: string }[] };

/** Updates the manifest to match modified content, as an attacker who knows the format would. */
export const updateManifest = (files: Map<string, Buffer>): Map<string, Buffer> => {
  const manifest = JSON.parse(files.get('manifest.json')?.toString() ?? '') as Manifest;
  for (const part of manifest.parts) {
    const content = files.get(part.file) ?? Buffer.alloc(0);
    part.bytes = content.length;
    part.lines = content.toString().split('\n').length - 1;
    part.sha256 = createHash('sha256').update(content).digest('hex');
  }
  return new Map([...files, ['manifest.json', Buffer.from(JSON.stringify(manifest))]]);
};

export const newArchivePath = (folder: string): string => join(folder, `${randomUUID()}.zip`);

/**
 * Runs an export or import in a separate process.
 * @returns the peak memory of the process in megabytes
 */
export const measurePeakMegabytes = (task: {
  op: 'export' | 'import';
  home: string;
  archive: string;
}): Promise<number> =>
  new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [join(import.meta.dirname, 'move-cost.ts'), JSON.stringify(task)],
      (error, stdout, stderr) => {
        if (error === null) resolve(Number(stdout));
        else reject(new Error(stderr));
      },
    );
  });
