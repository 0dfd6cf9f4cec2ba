import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createZipWriter } from '../../server/platform/archive/zip-writer.ts';
import { openZip } from '../../server/platform/archive/zip.ts';
import { Failure } from '../../server/platform/failure.ts';
import { moveSchema, type MoveView } from '../../server/wire/move.ts';
import { anApplication } from './applications.ts';
import { aContract } from './contracts.ts';
import { furnish, json } from './crawl.ts';
import { runHere } from './run-command.ts';
import { until, type ServerProcess } from './server-process.ts';
import { OWNER } from './test-pda.ts';

/** Accounts that move, and archives that others have tampered with. */

export const PATH = '/api/v2.6/owner/move';
/** Planted where a secret is kept, or nearly. */
export const PERSONS_PASSWORD = 'canary of quiet meadows';

/** In the order of their ids, by which a PDA lists what no list offers any more. */
export const APPLICATIONS = [
  aContract('steps-study', [['namespacewrite', 'fit']]),
  anApplication({
    id: 'steps-view',
    roles: ['namespaceread', 'namespacewrite'].map((role) => ({ role, detail: 'fit' })),
    data: ['fit/steps'],
  }),
];

/** Which applications can be set up is said by lists of the place. */
export const giveLists = (home: string): void =>
  writeFileSync(join(home, 'config.json'), JSON.stringify({ applications: APPLICATIONS }));

/** Before the first start of a home that is to be full. */
export const prepareHome = async (home: string): Promise<void> => {
  giveLists(home);
  const installed = await runHere(['function', 'install', 'examples/functions/activity-summary', '--home', home]);
  expect([installed.code, installed.stderr]).toStrictEqual([0, '']);
};

export type Furnished = { userId: string; secrets: string[] };

/** Something in every room, and what must not be in an archive of it. */
export const furnishAll = async (server: ServerProcess, home: string): Promise<Furnished> => {
  await furnish(server, home);
  const api = '/api/v2.6';
  await json(server, 'GET', `${api}/applications/steps-view/setup`);
  await json(server, 'GET', `${api}/applications/steps-study/setup`);
  const { accessToken } = await json<{ accessToken: string }>(
    server,
    'GET',
    `${api}/applications/steps-view/access-token`,
  );
  // Calls of an application are what the access history is about.
  for (let count = 0; count < 20; count += 1) {
    const read = await server.call('GET', `${api}/data/fit/steps?take=${10 + count}&skip=${count}`, {
      headers: { 'x-auth-token': accessToken },
    });
    expect(read.status).toBe(200);
  }
  const written = await server.call('POST', `${api}/data/fit/weight`, {
    // Digits that no double holds, and a line that some take for two.
    body: '[{"kilos":1.50,"big":12345678901234567890,"text":"a \\"quoted\\" \u2028 line"}]',
    headers: { 'x-auth-token': accessToken },
  });
  expect(written.status).toBe(201);
  const person = await json<{ userId: string }>(server, 'POST', '/users/user', {
    name: 'grace',
    password: PERSONS_PASSWORD,
  });
  const files = await json<{ fileId: string; name: string }[]>(server, 'POST', `${api}/files/search`, {});
  const photo = files.find(({ name }) => name === 'photo.bin')?.fileId ?? '';
  await json(server, 'GET', `${api}/files/allowAccess/${photo}/${person.userId}?content=true`);
  await json(server, 'GET', `${api}/files/allowAccessPublic/${photo}`);
  // One that is announced and never comes.
  const waiting = await json<{ contentUrl: string }>(server, 'POST', `${api}/files/upload`, {
    name: 'later.txt',
    source: 'test',
  });
  return {
    userId: person.userId,
    secrets: [accessToken, PERSONS_PASSWORD, OWNER.password, waiting.contentUrl.split('/').at(-1) ?? ''],
  };
};

export const viewOf = async (server: ServerProcess): Promise<MoveView> =>
  moveSchema.parse(await json(server, 'GET', PATH));

export const download = async (
  server: ServerProcess,
  to: string,
  password: string = OWNER.password,
): Promise<string> => {
  const { url } = await json<{ url: string }>(server, 'POST', `${PATH}/exports`, { password });
  const reply = await fetch(`http://127.0.0.1:${server.port}${url}`);
  expect(reply.status).toBe(200);
  expect(reply.headers.get('content-disposition')).toMatch(
    /^attachment; filename\*=UTF-8''pda-ada-\d{4}-\d\d-\d\d\.zip$/u,
  );
  await writeFile(to, new Uint8Array(await reply.arrayBuffer()));
  return url;
};

/** Sends an archive in pieces, until it was read. */
export const upload = async (server: ServerProcess, file: string, pieces = 2): Promise<MoveView> => {
  const content = readFileSync(file);
  await json(server, 'POST', `${PATH}/archive`, { fileName: 'ada.zip', size: content.length });
  const step = Math.ceil(content.length / pieces);
  for (let at = 0; at < content.length; at += step) {
    const sent = await server.call('PUT', `${PATH}/archive/content?offset=${at}`, {
      body: content.subarray(at, at + step),
      headers: { 'content-type': 'application/octet-stream' },
    });
    expect(sent.status, sent.text).toBe(200);
  }
  return untilRead(server);
};

export const untilRead = (server: ServerProcess): Promise<MoveView> =>
  until(async () => {
    const view = await viewOf(server);
    return view.archive?.state === 'checking' ? undefined : view;
  }, 'the archive was read');

/** The files of an archive, by name. */
export const unpack = async (file: string): Promise<Map<string, Buffer>> => {
  const zip = await openZip(file, {
    packedBytes: 1e9,
    unpackedBytes: 1e9,
    entries: 10_000,
    listBytes: 1e7,
    refuse: (problem) => new Failure('invalid_input', problem),
  });
  const files = new Map<string, Buffer>();
  for (const entry of zip.entries) {
    const pieces: Buffer[] = [];
    for await (const piece of zip.content(entry)) pieces.push(piece);
    files.set(entry.name, Buffer.concat(pieces));
  }
  return files;
};

async function* once(content: Buffer): AsyncGenerator<Buffer> {
  yield content;
}

export const packUp = async (files: Iterable<readonly [string, Buffer]>, to: string): Promise<string> => {
  const pieces: Buffer[] = [];
  const zip = createZipWriter((bytes) => {
    pieces.push(bytes);
    return Promise.resolve();
  }, Date.now());
  for (const [name, content] of files) await zip.add(name, { maxBytes: content.length, level: 6 }, once(content));
  await zip.end();
  await writeFile(to, Buffer.concat(pieces));
  return to;
};

type ManifestText = { version: number; parts: { file: string; lines: number; bytes: number; sha256: string }[] };

/** Updates the manifest to match modified content, as an attacker who knows the format would. */
export const sealed = (files: Map<string, Buffer>): Map<string, Buffer> => {
  const manifest = JSON.parse(files.get('manifest.json')?.toString() ?? '') as ManifestText;
  for (const part of manifest.parts) {
    const content = files.get(part.file) ?? Buffer.alloc(0);
    part.bytes = content.length;
    part.lines = content.toString().split('\n').length - 1;
    part.sha256 = createHash('sha256').update(content).digest('hex');
  }
  return new Map([...files, ['manifest.json', Buffer.from(JSON.stringify(manifest))]]);
};

export const named = (folder: string): string => join(folder, `${randomUUID()}.zip`);

/** Megabytes that a process which exports or imports took at most: `op`, `home`, `archive`. */
export const costOf = (deed: object): Promise<number> =>
  new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [join(import.meta.dirname, 'move-cost.ts'), JSON.stringify(deed)],
      (error, out, problems) => {
        if (error === null) resolve(Number(out));
        else reject(new Error(problems));
      },
    );
  });
