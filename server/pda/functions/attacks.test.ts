import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { dataAt, type TestPda } from '../../../tests/support/test-pda.ts';
import { feedItemSchema } from '../../wire/feed.ts';
import { functionRunSchema, ownerFunctionSchema } from '../../wire/functions.ts';
import {
  createFakeFunctions,
  FUNCTIONS,
  install,
  installAndEnable,
  manifestFor,
  ownerView,
  removeFolders,
  runsOf,
  startWithFakes,
  store,
  valuesIn,
  type FakeFunction,
  type FakeFunctions,
} from './harness.test-support.ts';
import { parseOutput } from './runs/output.ts';
import { zipOf } from './packages/zip.test-support.ts';
import { IS_THOROUGH_RUN } from '../../../tests/support/long-run.ts';

let pda: TestPda;
const open = async (fakes: FakeFunctions, config?: unknown): Promise<TestPda> =>
  (pda = await startWithFakes(fakes, { config }));
afterEach(async () => {
  await pda.close();
  removeFolders();
});

const MANUAL = { triggerType: 'manual' } as const;

describe('the undo of a run', () => {
  it.skipIf(!IS_THOROUGH_RUN)(
    'deletes the records once for concurrent requests, and can itself be undone',
    async () => {
      const echo: FakeFunction = { id: 'echo', trigger: MANUAL, process: (input) => valuesIn(input) };
      const fakes = createFakeFunctions(echo);
      await open(fakes);
      await store(pda, 'data/in', ...Array.from({ length: 3000 }, (_, index) => index));
      await installAndEnable(pda, echo);
      expect((await pda.call('GET', `${FUNCTIONS}/echo/trigger`)).status).toBe(200);
      const [run] = await runsOf(pda, 'echo');
      const undo = () => pda.call('POST', `${FUNCTIONS}/echo/runs/${run?.runId}/undo`);
      const replies = await Promise.all([undo(), undo(), undo(), undo()]);
      expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409]);
      expect(await dataAt(pda, 'made/echo')).toEqual([]);
      const [undoneRun] = await runsOf(pda, 'echo');
      expect(undoneRun?.undo).not.toBeNull();
      expect((await pda.call('POST', `/api/v2.6/owner/deletions/${undoneRun?.undo?.deletionId}/undo`)).status).toBe(
        200,
      );
      expect(await dataAt(pda, 'made/echo')).toHaveLength(3000);
      expect(functionRunSchema.parse((await runsOf(pda, 'echo'))[0]).undone).toBeNull();
    },
  );
});

describe('a very long period', () => {
  it.each(['P999999Y', Number.MAX_SAFE_INTEGER])('leads to a valid time of the next run: %s', async (period) => {
    const slowFunction: FakeFunction = { id: 'slow', trigger: { triggerType: 'periodic', period }, process: () => [] };
    await open(createFakeFunctions(slowFunction));
    await installAndEnable(pda, slowFunction);
    await store(pda, 'data/in', 1);
    await expect.poll(async () => (await runsOf(pda, 'slow')).length).toBe(1);
    await expect.poll(async () => (await ownerView(pda, 'slow')).waiting).toBe(false);
    await store(pda, 'data/in', 2);
    await expect.poll(async () => (await ownerView(pda, 'slow')).waiting).toBe(true);
    const reply = await pda.call('GET', '/api/v2.6/owner/functions');
    expect(reply.status).toBe(200);
    expect(z.array(ownerFunctionSchema).parse(reply.json)[0]?.nextRun.kind).toBe('at');
  });
});

describe('installations', () => {
  const fake: FakeFunction = { id: 'one', trigger: MANUAL };
  const folders = (): string[] => readdirSync(join(pda.home, 'functions', 'one'));

  it('leave one version if they run concurrently, and at most one if the package is removed at the same time', async () => {
    await open(createFakeFunctions(fake));
    await install(pda, fake);
    await Promise.all(Array.from({ length: 5 }, () => install(pda, fake)));
    expect(folders()).toHaveLength(1);
    expect((await pda.call('POST', `${FUNCTIONS}/one/dry-run`, { json: {} })).json).toMatchObject({ outcome: 'done' });
    const removal = pda.call('DELETE', '/api/v2.6/owner/functions/one');
    const concurrentInstallation = install(pda, fake);
    await Promise.allSettled([removal, concurrentInstallation]);
    const { registered } = await ownerView(pda, 'one');
    expect(existsSync(join(pda.home, 'functions', 'one'))).toBe(registered);
    if (registered) expect(folders()).toHaveLength(1);
  });

  it('leave no files after a restart if they were interrupted', async () => {
    await open(createFakeFunctions(fake));
    const leftover = join(pda.home, 'functions', '.incoming', 'x');
    mkdirSync(leftover, { recursive: true });
    writeFileSync(join(leftover, 'package.zip'), 'x'.repeat(1000));
    await pda.restart();
    expect(existsSync(leftover)).toBe(false);
  });

  it('do not prevent the start if a file has replaced the folder of a package', async () => {
    await open(createFakeFunctions(fake));
    await install(pda, fake);
    rmSync(join(pda.home, 'functions', 'one'), { recursive: true });
    writeFileSync(join(pda.home, 'functions', 'one'), 'a file');
    await pda.restart();
    expect((await pda.call('POST', `${FUNCTIONS}/one/dry-run`, { json: {} })).json).toMatchObject({ outcome: 'error' });
  });

  it('reject names that are reserved on some systems', async () => {
    const fakeList = ['con', 'NUL', 'com1.x', 'lpt9', 'dot.', 'dots..'].map((id) => ({ ...fake, id }));
    await open(createFakeFunctions(...fakeList));
    for (const fake of fakeList) await expect(install(pda, fake), fake.id).rejects.toThrow(/name/u);
  });

  it('accept ids that are names of object properties, except __proto__', async () => {
    const invalidFake = { ...fake, id: '__proto__' };
    const fakeList = ['constructor', 'hasOwnProperty', 'toString'].map((id) => ({ ...fake, id }));
    await open(createFakeFunctions(invalidFake, ...fakeList));
    await expect(install(pda, invalidFake)).rejects.toThrow(/manifest/u);
    await store(pda, 'data/in', 1);
    for (const fake of fakeList) {
      await installAndEnable(pda, fake);
      expect((await pda.call('GET', `${FUNCTIONS}/${fake.id}/trigger`)).status).toBe(200);
      expect((await pda.call('DELETE', `/api/v2.6/owner/functions/${fake.id}`)).status).toBe(200);
    }
  });

  it('reject malformed zip files and manifests', async () => {
    const invalidPackages: [label: string, createPackage: () => Buffer][] = [
      [
        'eleven thousand files',
        () => zipOf(Array.from({ length: 11_000 }, (_, i) => ({ name: `f${i}`, content: '' }))),
      ],
      ['bytes before the zip file', () => Buffer.concat([Buffer.from('junk'), zipOf(files())])],
      ['bytes after the zip file', () => Buffer.concat([zipOf(files()), Buffer.from('junk')])],
      ['a name with a NUL', () => zipOf([...files(), { name: 'a\u0000.mjs', content: '' }])],
      ['names that differ only in case', () => zipOf([...files(), { name: 'INDEX.mjs', content: '' }])],
      [
        'an end record that refers to ZIP64',
        () => {
          const zip = zipOf(files());
          zip.writeUInt32LE(0xffffffff, zip.length - 6);
          return zip;
        },
      ],
      [
        'an end record that counts fewer files than the central directory lists',
        () => {
          const zip = zipOf(files());
          zip.writeUInt16LE(1, zip.length - 12);
          zip.writeUInt16LE(1, zip.length - 14);
          return zip;
        },
      ],
      [
        'a manifest that is a folder',
        () =>
          zipOf([
            { name: 'manifest.json/', content: '' },
            { name: 'index.mjs', content: 'x' },
          ]),
      ],
      [
        'a manifest of 10 MB',
        () =>
          zipOf([
            { name: 'manifest.json', content: ' '.repeat(10_000_000) },
            { name: 'index.mjs', content: 'x' },
          ]),
      ],
      [
        'a manifest with a duplicate key',
        () =>
          zipOf([
            { name: 'manifest.json', content: '{"id":"one","id":"two"}' },
            { name: 'index.mjs', content: 'x' },
          ]),
      ],
    ];
    await open(createFakeFunctions(fake));
    for (const [label, createPackage] of invalidPackages) {
      const reply = await pda.call('POST', '/api/v2.6/owner/functions/packages', {
        body: createPackage(),
        headers: { 'content-type': 'application/zip' },
      });
      expect([label, reply.status, reply.text.slice(0, 200)]).toEqual([label, 400, expect.any(String)]);
      expect(readdirSync(join(pda.home, 'functions', '.incoming')), label).toEqual([]);
    }
  });
  const files = () => [
    { name: 'manifest.json', content: JSON.stringify(manifestFor(fake)) },
    { name: 'index.mjs', content: 'export const configuration = () => ({});' },
  ];
});

describe('the feed', () => {
  const NOW = Date.UTC(2026, 0, 15, 12) / 1000;
  const item = (unix: unknown, changes = {}) => ({
    source: 's',
    date: { iso: '2026-01-15T12:00:00.000Z', unix },
    types: ['note'],
    ...changes,
  });

  it('ignores invalid items, and accepts extreme times and pages', async () => {
    await open(createFakeFunctions());
    await store(
      pda,
      'a/feed',
      item(NOW),
      item(String(NOW)),
      item([NOW]),
      item({ a: NOW }),
      item(null),
      item(true),
      item(1e308),
      item(-1e308),
      item(NOW + 0.5),
      { 'date.unix': NOW },
      { date: [{ unix: NOW }] },
      { date: { unix: NOW } },
      [{ date: { unix: NOW } }],
      item(NOW, { date: { iso: 'not a date', unix: NOW } }),
      item(NOW, { content: { media: [{ url: 'javascript:alert(1)' }] } }),
      item(NOW, { content: { html: '<script>alert(1)</script>' } }),
      item(NOW + 1),
    );
    for (const path of ['/she/feed', '/she/feed/a/feed']) {
      for (const query of [
        '',
        '?since=-99999999999&until=99999999999',
        '?since=99999999999&until=-99999999999',
        '?skip=999999999999999&take=0',
      ]) {
        const reply = await pda.call('GET', `/api/v2.6${path}${query}`);
        expect([path, query, reply.status]).toEqual([path, query, 200]);
      }
    }
    const items = z.array(feedItemSchema).parse((await pda.call('GET', '/api/v2.6/she/feed')).json);
    expect(items.map(({ date }) => date.unix - NOW)).toEqual([1, 0.5, 0, 0]);
    expect(JSON.stringify(items)).not.toContain('javascript:');
  });

  it('returns only items that fit into one response, and the others on later pages', async () => {
    await open(createFakeFunctions());
    const text = 'x'.repeat(50_000);
    const items = Array.from({ length: 30 }, (_, index) => JSON.stringify(item(NOW - index, { content: { text } })));
    await pda.pda.records.create(
      items.map((data) => ({ endpoint: 'a/feed', data })),
      { kind: 'owner', name: 'owner' },
    );
    const page = async (skip: number) => {
      const reply = await pda.call('GET', `/api/v2.6/she/feed?skip=${skip}`);
      expect(reply.status).toBe(200);
      expect(reply.text.length).toBeLessThan(1_200_000);
      return z.array(feedItemSchema).parse(reply.json);
    };
    const firstPage = await page(0);
    expect(firstPage.length).toBeGreaterThan(0);
    expect(firstPage.length).toBeLessThan(30);
    expect((await page(firstPage.length))[0]?.date.unix).toBe(NOW - firstPage.length);
  });
});

describe('an output', () => {
  it.skipIf(!IS_THOROUGH_RUN)(
    'is rejected if it has millions of records or items, without using much memory',
    async () => {
      await open(createFakeFunctions());
      const text = `[{"namespace":"made","endpoint":"f","data":[${'1,'.repeat(4_900_000)}1]}]`;
      const initialRss = process.memoryUsage().rss;
      expect(await parseOutput(text, 'made/f')).toMatchObject({ ok: false });
      expect(process.memoryUsage().rss - initialRss).toBeLessThan(150_000_000);
      const items = `[${'{},'.repeat(3_000_000)}{}]`;
      expect(await parseOutput(items, 'made/f')).toMatchObject({ ok: false });
      expect(process.memoryUsage().rss - initialRss).toBeLessThan(250_000_000);
    },
  );
});
