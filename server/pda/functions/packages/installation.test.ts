import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { errorOf, type TestPda } from '../../../../tests/support/test-pda.ts';
import type { Failure } from '../../../platform/failure.ts';
import { ownerFunctionSchema } from '../../../wire/functions.ts';
import {
  createFakeFunctions,
  enable,
  FUNCTIONS,
  manifestFor,
  createFolder,
  ownerView,
  createPackageFolder,
  removeFolders,
  startWithFakes,
  store,
  valuesIn,
  type FakeFunctions,
} from '../harness.test-support.ts';
import { zipOf, type ZipFile } from './zip.test-support.ts';

let pda: TestPda;
let fakes: FakeFunctions;
beforeEach(async () => {
  fakes = createFakeFunctions({ id: 'hello', process: (input) => valuesIn(input) });
  pda = await startWithFakes(fakes);
});
afterEach(() => pda.close());
afterAll(removeFolders);

const MANIFEST = manifestFor({ id: 'hello' });
const MODULE = 'export const configuration = () => ({});\n';
const PACKAGES = '/api/v2.6/owner/functions/packages';
const MANIFEST_FILE: ZipFile = { name: 'manifest.json', content: JSON.stringify(MANIFEST) };
const files = (...additional: ZipFile[]): ZipFile[] => [
  MANIFEST_FILE,
  { name: 'index.mjs', content: MODULE },
  ...additional,
];
const upload = (body: Buffer) => pda.call('POST', PACKAGES, { body, headers: { 'content-type': 'application/zip' } });
const functionsFolder = (): string => join(pda.home, 'functions');
const filesOnDisk = (): string[] =>
  existsSync(functionsFolder())
    ? readdirSync(functionsFolder(), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => entry.name)
    : [];
const installFrom = (path: string): Promise<unknown> => pda.pda.functions.install(path);
const refusal = async (path: string): Promise<string> =>
  installFrom(path).then(
    () => 'installed',
    (error: Failure) => `${error.code}: ${error.reason}`,
  );

describe('a package', () => {
  it('is installed from a folder and runs', async () => {
    const view = await pda.pda.functions.install(createPackageFolder(MANIFEST));
    expect(view).toMatchObject({
      id: 'hello',
      version: '1.0.0',
      registered: true,
      place: { kind: 'here' },
      writes: 'made/hello',
      reads: 'new',
      limits: { memoryMb: 128, timeoutMs: 10_000 },
      configuration: { status: { available: true, enabled: false }, info: { updateNodes: { header: 'First' } } },
      nextRun: { kind: 'never' },
    });
    expect(filesOnDisk()).toStrictEqual(['function.mjs']);
    await enable(pda, 'hello');
    await store(pda, 'data/in', 1);
    await expect.poll(() => fakes.inputs.get('hello')?.length).toBe(1);
  });

  it('is installed over HTTP from a zip file with a top-level folder, without its other files', async () => {
    const filesInFolder = files().map(({ name, content }) => ({ name: `hello-1.0.0/${name}`, content }));
    const ignoredFiles = [
      { name: '__MACOSX/._index.mjs', content: 'x' },
      { name: 'hello-1.0.0/lib/', content: '' },
      { name: 'hello-1.0.0/README.md', content: '# Hello' },
    ];
    const reply = await upload(zipOf([...filesInFolder, ...ignoredFiles]));
    expect([reply.status, reply.text]).toStrictEqual([201, expect.stringContaining('"hello"')]);
    expect(ownerFunctionSchema.parse(reply.json).package?.bytes).toBe(MODULE.length);
    expect(filesOnDisk()).toStrictEqual(['function.mjs']);
  });

  it('uses the manifest at the top level of the zip file, even if an earlier folder contains another one', async () => {
    const reply = await upload(zipOf([{ name: 'icons/manifest.json', content: '{}' }, ...files()]));
    expect([reply.status, reply.text]).toStrictEqual([201, expect.stringContaining('"hello"')]);
  });

  it('replaces the previous version, and keeps the approval unless it reads more', async () => {
    await installFrom(createPackageFolder(MANIFEST));
    await enable(pda, 'hello');
    fakes.set({ id: 'hello', version: '1.1.0', process: (input) => valuesIn(input) });
    await installFrom(createPackageFolder({ ...MANIFEST, version: '1.1.0' }, `${MODULE}// newer\n`));
    expect(filesOnDisk()).toHaveLength(1);
    const view = await ownerView(pda, 'hello');
    expect(view).toMatchObject({ version: '1.1.0', asksForMore: false, approved: { version: '1.0.0' } });
    expect(view.configuration?.status).toMatchObject({ available: true, enabled: true });
    fakes.set({ id: 'hello', version: '2.0.0', reads: ['data/in', 'data/secret'] });
    await installFrom(createPackageFolder({ ...MANIFEST, version: '2.0.0' }));
    expect((await ownerView(pda, 'hello')).asksForMore).toBe(true);
    await store(pda, 'data/in', 1);
    expect((await pda.call('GET', `${FUNCTIONS}/hello/trigger`)).status).toBe(400);
    expect(fakes.inputs.size).toBe(0);
    await enable(pda, 'hello');
    await expect.poll(() => fakes.inputs.size).toBe(1);
  });

  it('loses the indexes of its bundle when it is removed', async () => {
    const operator = { operator: 'in', value: [1] } as const;
    const bundle = { all: { endpoints: [{ endpoint: 'data/in', filters: [{ field: 'n', operator }] }] } };
    fakes.set({ id: 'hello', publishedBundle: { name: 'hello', bundle } });
    await store(pda, 'data/in', { n: 1 });
    await installFrom(createPackageFolder({ ...MANIFEST, reads: 'all' }));
    await enable(pda, 'hello');
    await expect.poll(() => pda.pda.indexes.readyNames().size).toBe(1);
    await pda.pda.functions.remove('hello');
    await expect.poll(() => pda.pda.indexes.readyNames().size).toBe(0);
  });

  it('is removed with all its files, but its history is kept', async () => {
    await installFrom(createPackageFolder(MANIFEST));
    await enable(pda, 'hello');
    expect((await pda.call('GET', `${FUNCTIONS}/hello/trigger`)).status).toBe(200);
    expect((await pda.call('DELETE', '/api/v2.6/owner/functions/hello')).status).toBe(200);
    expect(filesOnDisk()).toStrictEqual([]);
    expect(await ownerView(pda, 'hello')).toMatchObject({ registered: false, lastRun: { outcome: 'done' } });
    const secondRemoval = await pda.call('DELETE', '/api/v2.6/owner/functions/hello');
    expect([secondRemoval.status, errorOf(secondRemoval).error]).toStrictEqual([409, 'wrong_state']);
  });

  it('does not run after its module has been changed on disk', async () => {
    await installFrom(createPackageFolder(MANIFEST));
    await enable(pda, 'hello');
    const [version = ''] = readdirSync(join(functionsFolder(), 'hello'));
    writeFileSync(join(functionsFolder(), 'hello', version, 'function.mjs'), `${MODULE}// and more\n`);
    const reply = await pda.call('GET', `${FUNCTIONS}/hello/trigger`);
    expect([reply.status, errorOf(reply).cause]).toStrictEqual([502, expect.stringContaining('Install it again')]);
    expect(fakes.inputs.size).toBe(0);
  });

  it('keeps its installed version after an interrupted installation, whose files are deleted', async () => {
    await installFrom(createPackageFolder(MANIFEST));
    mkdirSync(join(functionsFolder(), '.incoming', 'half'), { recursive: true });
    writeFileSync(join(functionsFolder(), '.incoming', 'half', 'function.mjs'), 'half');
    mkdirSync(join(functionsFolder(), 'hello', 'newer'));
    writeFileSync(join(functionsFolder(), 'hello', 'newer', 'function.mjs'), 'complete, but not installed');
    mkdirSync(join(functionsFolder(), 'other', 'one'), { recursive: true });
    await pda.restart();
    expect(filesOnDisk()).toStrictEqual(['function.mjs']);
    await enable(pda, 'hello');
    expect((await pda.call('GET', `${FUNCTIONS}/hello/trigger`)).status).toBe(200);
  });

  it('can be tested without installing or saving anything', async () => {
    await store(pda, 'data/in', 1, 2);
    const dryRun = await pda.pda.functions.tryPackage(createPackageFolder(MANIFEST));
    expect(dryRun).toMatchObject({
      outcome: 'done',
      recordsIn: 2,
      records: [
        { endpoint: 'made/hello', data: 1 },
        { endpoint: 'made/hello', data: 2 },
      ],
      log: ['hello from hello'],
    });
    expect(pda.pda.functions.ownerList()).toStrictEqual([]);
    expect(filesOnDisk()).toStrictEqual([]);
    expect((await pda.call('GET', '/api/v2.6/data/sources')).json).toStrictEqual({ data: ['in'] });
  });
});

describe('the installer leaves no files when it', () => {
  const expectNoPackage = (label?: string): void => {
    expect(filesOnDisk(), label).toStrictEqual([]);
    expect(pda.pda.functions.ownerList(), label).toStrictEqual([]);
  };
  afterEach(() => expectNoPackage());

  it('rejects an invalid manifest', async () => {
    const invalidManifests: [label: string, change: object, path: string][] = [
      ['127 MB of memory', { memoryMb: 127 }, 'memoryMb'],
      ['3009 MB of memory', { memoryMb: 3009 }, 'memoryMb'],
      ['more than five minutes', { timeoutMs: 300_001 }, 'timeoutMs'],
      ['a version of two numbers', { version: '1.0' }, 'version'],
      ['an id with path segments', { id: '../x' }, 'id'],
      ['an endpoint with path segments', { endpoint: '../x' }, 'endpoint'],
      ['an unknown key', { network: true }, 'manifest.json'],
    ];
    for (const [label, change, path] of invalidManifests) {
      const text = await refusal(createPackageFolder({ ...MANIFEST, ...change }));
      expect(text, label).toMatch(/^invalid_input: This package was rejected: .*[^.]\. Nothing was installed\.$/u);
      expect(text, label).toContain(path);
      expectNoPackage(label);
    }
  });

  it('rejects a folder without a manifest, without a module, with two modules, or whose module is a link', async () => {
    expect(await refusal(createFolder())).toContain('no manifest.json');
    const folder = createFolder();
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify(MANIFEST));
    expect(await refusal(folder)).toContain('no .js or .mjs file');
    symlinkSync('/etc/hostname', join(folder, 'index.mjs'));
    expect(await refusal(folder)).toContain('is a link');
    const twoModules = createPackageFolder(MANIFEST);
    writeFileSync(join(twoModules, 'other.js'), '');
    expect(await refusal(twoModules)).toContain('a package has exactly one module');
    expect(await refusal(join(twoModules, 'nothing'))).toMatch(/^not_found/u);
  });

  it('rejects a module whose configuration is invalid or cannot be requested', async () => {
    fakes.set({ id: 'hello', reads: [] });
    expect(await refusal(createPackageFolder(MANIFEST))).toContain('is invalid');
    expect(await refusal(createPackageFolder({ ...MANIFEST, id: 'unknown' }))).toBe(
      'invalid_input: This package was rejected: there is no such function. Nothing was installed.',
    );
  });

  it('rejects a malformed zip file', async () => {
    const invalidZips: [label: string, packageFiles: ZipFile[], options: { cut?: number }][] = [
      ['a name that leaves the folder', files({ name: '../evil.mjs', content: 'x' }), {}],
      ['an absolute name', files({ name: '/evil.mjs', content: 'x' }), {}],
      ['a name with a backslash', files({ name: '..\\evil.mjs', content: 'x' }), {}],
      ['a name with a drive letter', files({ name: 'C:evil.mjs', content: 'x' }), {}],
      ['a link', files({ name: 'link', content: '/etc/passwd', mode: 0o120_777 }), {}],
      ['two names that differ only in case', files({ name: 'INDEX.mjs', content: 'x' }), {}],
      ['an encrypted file', files({ name: 'x.txt', content: 'x', flags: 1 }), {}],
      ['an unknown compression method', files({ name: 'x.txt', content: 'x', method: 12 }), {}],
      ['a file with a declared size above the limit', files({ name: 'x', content: 'x', size: 300_000_000 }), {}],
      ['a wrong checksum', [MANIFEST_FILE, { name: 'index.mjs', content: MODULE, crc: 1 }], {}],
      ['a module longer than declared', [MANIFEST_FILE, { name: 'index.mjs', content: MODULE, size: 3 }], {}],
      ['a module shorter than declared', [MANIFEST_FILE, { name: 'index.mjs', content: MODULE, size: 300 }], {}],
      ['a truncated central directory', files(), { cut: 30 }],
    ];
    for (const [label, packageFiles, { cut }] of invalidZips) {
      const zip = zipOf(packageFiles);
      const reply = await upload(cut === undefined ? zip : zip.subarray(0, -cut));
      expect([label, reply.status, errorOf(reply).error]).toStrictEqual([label, 400, 'invalid_input']);
      expectNoPackage(label);
    }
  });

  it('rejects a zip bomb', async () => {
    const bomb = Buffer.alloc(20_000_000);
    const reply = await upload(zipOf([MANIFEST_FILE, { name: 'index.mjs', content: bomb, size: 1000 }]));
    expect([reply.status, errorOf(reply).error]).toStrictEqual([400, 'invalid_input']);
  });

  it.each([['short text'], ['x'.repeat(5000)]])('rejects a file that is not a zip file: $0', async (text) => {
    const reply = await upload(Buffer.from(text));
    expect([reply.status, errorOf(reply).error]).toStrictEqual([400, 'invalid_input']);
  });
});

it('rejects an id that differs from an installed one only in case', async () => {
  fakes.set({ id: 'Hello' });
  await installFrom(createPackageFolder(MANIFEST));
  expect(await refusal(createPackageFolder({ ...MANIFEST, id: 'Hello' }))).toMatch(/^already_exists/u);
  const [version = ''] = readdirSync(join(functionsFolder(), 'hello'));
  expect(readFileSync(join(functionsFolder(), 'hello', version, 'function.mjs'), 'utf8')).toBe(MODULE);
});
