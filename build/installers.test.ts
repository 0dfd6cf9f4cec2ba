import { execFile } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packagedInstallation } from '../main/server/installation.ts';

const ROOT = dirname(import.meta.dirname);
/**
 * Bytes that precede the fuses in Electron's binary. A version, the number of fuses, and one character for each
 * fuse follow.
 */
const FUSE_SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';
const FUSES = [
  'RunAsNode',
  'CookieEncryption',
  'NodeOptions',
  'NodeCliInspect',
  'AsarIntegrity',
  'OnlyAsar',
  'V8Snapshot',
  'FileProtocol',
  'WasmTraps',
];

let project: string;
let unpackedApp: string;
const write = (path: string, content: string | Buffer = ''): void => {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), content);
};

/**
 * Packages a minimal project with our configuration and a fake Electron binary. electron-builder copies the binary and
 * sets its fuses but does not run it, so the test need not download Electron.
 */
async function build(): Promise<void> {
  project = mkdtempSync(join(tmpdir(), 'installers-'));
  cpSync(join(ROOT, 'electron-builder.yml'), join(project, 'electron-builder.yml'));
  write('package.json', JSON.stringify({ name: 'project', version: '1.0.0', dependencies: { leak: '1.0.0' } }));
  write('node_modules/leak/package.json', JSON.stringify({ name: 'leak', version: '1.0.0' }));
  write('node_modules/leak/native.node');
  const app = {
    name: 'personal-data-account',
    version: '1.2.3',
    description: 'x',
    author: 'x',
    main: 'main.mjs',
    type: 'module',
  };
  write('dist/stage/app/package.json', JSON.stringify(app));
  write('dist/stage/app/main.mjs', '//');
  write('dist/stage/app/main.mjs.map', '{}');
  write('dist/stage/icons/icon.png', readFileSync(join(ROOT, 'build/icons/icon.png')));
  for (const path of [
    'bin/node',
    'server/pda/cli/main.js',
    'server/pda/cli/commands.ts',
    'node_modules/koa/index.js',
    'node_modules/a/node_modules/b/index.js',
    'renderer/dashboard/dist/index.html',
  ])
    write(`dist/stage/resources/pda/${path}`, path);
  const fuses = Buffer.from([1, FUSES.length, ...Buffer.from('1'.repeat(FUSES.length))]);
  write('electron/electron', Buffer.concat([Buffer.alloc(100), Buffer.from(FUSE_SENTINEL), fuses, Buffer.alloc(100)]));
  chmodSync(join(project, 'electron/electron'), 0o755);
  for (const path of [
    'version',
    'LICENSE',
    'LICENSES.chromium.html',
    'chrome-sandbox',
    'locales/en-US.pak',
    'locales/de.pak',
    'locales/fr.pak',
  ])
    write(`electron/${path}`, '45.0.0');

  const args = [
    '--linux',
    'dir',
    '--publish',
    'never',
    '-c.electronVersion=45.0.0',
    `-c.electronDist=${join(project, 'electron')}`,
  ];
  const program = join(ROOT, 'node_modules', 'electron-builder', 'cli.js');
  await promisify(execFile)(process.execPath, [program, '--project', project, ...args], { cwd: project });
  unpackedApp = join(project, 'dist', 'installers', 'linux-unpacked');
}

// The other systems' packages need tools that only exist there.
describe.runIf(process.platform === 'linux')('electron-builder.yml', () => {
  beforeAll(build);
  afterAll(() => rmSync(project, { recursive: true, force: true }));

  it('packages the server, its dependencies and Node where the shell expects them', () => {
    const installation = packagedInstallation(join(unpackedApp, 'resources'), 'linux');
    expect(readFileSync(installation.node, 'utf8')).toBe('bin/node');
    for (const path of [
      'server/pda/cli/main.js',
      'server/pda/cli/commands.ts',
      'node_modules/koa/index.js',
      'node_modules/a/node_modules/b/index.js',
      'renderer/dashboard/dist/index.html',
    ])
      expect(readFileSync(join(installation.root, path), 'utf8')).toBe(path);
  });

  it('puts only the shell into the archive', () => {
    const header =
      /\{"files":.*?\}(?=\0|\/\/)/s.exec(readFileSync(join(unpackedApp, 'resources', 'app.asar'), 'latin1'))?.[0] ?? '';
    const { files } = JSON.parse(header) as { files: Record<string, unknown> };
    expect(Object.keys(files).toSorted()).toEqual(['main.mjs', 'package.json']);
    expect(readdirSync(join(unpackedApp, 'resources')).toSorted()).toEqual(['app.asar', 'pda']);
  });

  it('sets the Electron fuses', () => {
    const binary = readFileSync(join(unpackedApp, 'personal-data-account'));
    const position = binary.indexOf(FUSE_SENTINEL) + FUSE_SENTINEL.length + 2;
    const fuseStates = Object.fromEntries(
      FUSES.map((name, index) => [name, binary.toString('latin1', position + index, position + index + 1) === '1']),
    );
    expect(fuseStates).toMatchObject({
      RunAsNode: false,
      CookieEncryption: true,
      NodeOptions: false,
      NodeCliInspect: false,
      AsarIntegrity: true,
      OnlyAsar: true,
      FileProtocol: false,
    });
  });

  it('removes unsupported locales', () => {
    expect(readdirSync(join(unpackedApp, 'locales')).toSorted()).toEqual(['de.pak', 'en-US.pak']);
  });
});

describe('the installers', () => {
  const config = readFileSync(join(ROOT, 'electron-builder.yml'), 'utf8');
  const listOf = (key: string): readonly string[] =>
    [...(new RegExp(`^ *${key}:\\n((?: +- .*\\n)+)`, 'm').exec(config)?.[1] ?? '').matchAll(/- ([\w-]+)/g)].map(
      ([, item = '']) => item,
    );
  const sectionOf = (system: string): string => new RegExp(`^${system}:\\n(?: .*\\n)+`, 'm').exec(config)?.[0] ?? '';

  it('use the usual formats of each system', () => {
    expect(sectionOf('mac')).toMatch(/- dmg\n\s+- zip/);
    expect(sectionOf('win')).toMatch(/- nsis/);
    expect(sectionOf('linux')).toMatch(/- AppImage\n\s+- deb/);
  });

  it('register the pda:// scheme', () => {
    expect(listOf('schemes')).toEqual(['pda']);
  });

  it('request only the JIT entitlement on macOS', () => {
    expect(sectionOf('mac')).toContain('hardenedRuntime: true');
    const plist = readFileSync(join(ROOT, 'build/entitlements.mac.plist'), 'utf8');
    expect([...plist.matchAll(/<key>(.*?)<\/key>/g)].map(([, key]) => key)).toEqual([
      'com.apple.security.cs.allow-jit',
    ]);
    expect(sectionOf('mac')).toContain('entitlements: build/entitlements.mac.plist');
  });

  it('configure no update source', () => {
    expect(config).toMatch(/^publish: null$/m);
  });
});
