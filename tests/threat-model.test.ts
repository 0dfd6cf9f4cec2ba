import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { estimatePasswordStrength } from '../server/platform/auth/password-strength.ts';
import { sendRaw } from './support/http.ts';
import { ROOT } from './support/paths.ts';
import { OWNER, startTestPda } from './support/test-pda.ts';

const readDoc = (name: string): string => readFileSync(join(ROOT, 'docs', name), 'utf8');
const THREAT_MODEL = readDoc('threat-model.md');
const SECURITY_LIST = readDoc('security-list.md');

/** A path in backticks, and the quoted text after it. */
const REFERENCE = /`(?<path>[\w./-]+\/[\w.*-]+\.\w+|package\.json)`(?<quotes>(?:,? "[^"|]+")*)/g;

const referencesIn = (text: string) =>
  [...text.matchAll(REFERENCE)].map(({ groups }) => ({
    path: groups?.['path'] ?? '',
    quotes: [...(groups?.['quotes'] ?? '').matchAll(/"(?<words>[^"]+)"/g)].map(
      (match) => match.groups?.['words'] ?? '',
    ),
  }));

/** Lists references to missing files or text. */
const findMissing = (text: string): string[] =>
  referencesIn(text).flatMap(({ path, quotes }) => {
    if (path.includes('*')) return [];
    if (!existsSync(join(ROOT, path))) return [path];
    // Quotes inside the code's string literals are escaped.
    const code = readFileSync(join(ROOT, path), 'utf8').replaceAll("\\'", "'");
    return quotes.filter((quote) => !code.includes(quote)).map((quote) => `${path}: ${quote}`);
  });

describe('the threat model', () => {
  it('refers only to existing files and texts', () => {
    expect(referencesIn(THREAT_MODEL).length).toBeGreaterThan(40);
    expect(findMissing(THREAT_MODEL)).toEqual([]);
  });

  it('covers all twenty points of Electron’s security checklist, each with a reference', () => {
    const rows = [...THREAT_MODEL.matchAll(/^\| (\d+) \|(.*)\|$/gm)];
    expect(rows.map(([, number]) => Number(number))).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    for (const [row] of rows) expect(row).toMatch(/`[\w./-]+` "[^"]+"/);
  });

  it('has a row for every party', () => {
    const parties = [...THREAT_MODEL.matchAll(/^\| \*\*(.+?)\*\*/gm)].map(([, name]) => name);
    for (const name of [
      'the relay',
      'the exchange',
      'the contracts service',
      'certificate logs and the name service',
      'an anonymous caller',
      'a guest',
      'an application',
      'a function in the sandbox',
      'a thief of the laptop',
      'a finder of a backup',
    ])
      expect(parties).toContain(name);
  });
});

describe('the security list', () => {
  const sections = SECURITY_LIST.split(/^## /m).slice(1);
  const rows = [...SECURITY_LIST.matchAll(/^\| (?!item |---)(.+) \|$/gm)].map(([, row = '']) =>
    row.split(/ \|(?: |$)/),
  );

  it('refers only to existing files and texts', () => {
    expect(referencesIn(SECURITY_LIST).length).toBeGreaterThan(150);
    expect(findMissing(SECURITY_LIST)).toEqual([]);
  });

  it('covers chapters 1 to 16 of the OWASP standard, RFC 8725 and RFC 9700', () => {
    const titles = sections.map((section) => section.split('\n', 1)[0]);
    for (const chapter of [
      'V1 ',
      'V2 ',
      'V3 ',
      'V4 ',
      'V5 ',
      'V6 ',
      'V7 ',
      'V8 ',
      'V9 ',
      'V10 ',
      'V11 ',
      'V12 ',
      'V13 ',
      'V14 ',
      'V15 ',
      'V16 ',
    ])
      expect(titles.some((title) => title?.startsWith(chapter))).toBe(true);
    expect(titles.join(' ')).toMatch(/RFC 8725.*RFC 9700/);
  });

  it('explains each item that applies, and names a test for each item that holds', () => {
    expect(rows.length).toBeGreaterThan(120);
    for (const [item = '', state = '', explanation = ''] of rows) {
      expect([item, state]).toEqual([item, expect.stringMatching(/^(?:holds|in part|does not|not here)$/)]);
      if (state === 'holds') expect([item, /`[\w./-]+\.(?:test|spec)\.ts`/.test(explanation)]).toEqual([item, true]);
      if (state !== 'not here') expect([item, explanation.length > 20]).toEqual([item, true]);
    }
  });
});

/** Reads the source files below these folders, without tests. */
const sourcesOf = (folders: readonly string[]): { name: string; text: string }[] =>
  folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter(
        ({ name, parentPath }) =>
          /\.(?:tsx?|js)$/.test(name) && !/\.test|\/dist\b|node_modules/.test(join(parentPath, name)),
      )
      .map(({ name, parentPath }) => join(parentPath, name))
      .map((path) => ({ name: relative(ROOT, path), text: readFileSync(path, 'utf8') })),
  );

describe('the sources', () => {
  it('insert no raw HTML into a page', () => {
    const files = sourcesOf(['renderer']).filter(({ text }) =>
      /dangerouslySetInnerHTML|\b(?:inner|outer)HTML\s*=(?!=)|insertAdjacentHTML|document\.write|\beval\(|new Function\(/.test(
        text,
      ),
    );
    expect(files.map(({ name }) => name)).toEqual([]);
  });

  it('store only a token, settings of the dashboard and the offline page in the browser', () => {
    const files = sourcesOf(['renderer']).filter(({ text }) =>
      /(?:local|session)Storage|indexedDB|caches\.open|document\.cookie/i.test(text),
    );
    expect(files.map(({ name }) => name).toSorted()).toEqual([
      'renderer/dashboard/pages/data/record-editor/record-editor.tsx',
      'renderer/dashboard/pages/data/records/record-drawer.tsx',
      'renderer/dashboard/public/color-scheme.js',
      'renderer/dashboard/public/offline.js',
      'renderer/dashboard/public/service-worker.js',
      'renderer/shared/api/session.ts',
      'renderer/shared/format/languages.ts',
      'renderer/shared/keyboard/use-shortcuts.ts',
    ]);
  });

  it('use no predictable source for secrets', () => {
    const files = sourcesOf(['server', 'main', 'functions-sandbox']).filter(({ text }) => text.includes('Math.random'));
    // These files use `Math.random` for delays, shards, times of cleanup, and a prefix of request ids.
    expect(files.map(({ name }) => name).toSorted()).toEqual([
      'main/server/process.ts',
      'server/exchange/offers/claims/service.ts',
      'server/exchange/statistics/compaction/compactor.ts',
      'server/exchange/statistics/store.ts',
      'server/network/tunnel-client.ts',
      'server/pda/network/address/certificates/manager.ts',
      'server/pda/network/address/index.ts',
      'server/pda/network/exchange/index.ts',
      'server/pda/network/statistics/service.ts',
      'server/pda/sharing/contracts/membership.ts',
      'server/pda/sharing/webhooks/service.ts',
      'server/platform/http/request/id.ts',
      'server/platform/postgres/database.ts',
      'server/platform/postgres/migrations.ts',
    ]);
  });

  it('disable certificate validation only when the PDA checks its own certificate or address', () => {
    const files = sourcesOf(['server', 'main', 'build', 'functions-sandbox']).filter(({ text }) =>
      /rejectUnauthorized: false|NODE_TLS_REJECT_UNAUTHORIZED|checkServerIdentity/.test(text),
    );
    expect(files.map(({ name }) => name).toSorted()).toEqual([
      'server/pda/network/address/certificates/loaded-certificate.ts',
      'server/pda/network/address/reachability/probe.ts',
    ]);
  });
});

describe('a PDA', () => {
  it('refuses TRACE and CONNECT', async () => {
    const pda = await startTestPda();
    try {
      const traceReply = await sendRaw(
        pda.port,
        `TRACE /api/v2.6/owner HTTP/1.1\r\nhost: ${pda.host}\r\nx-secret: mine\r\nconnection: close\r\n\r\n`,
      );
      expect(traceReply).toMatch(/^HTTP\/1\.1 405 /);
      expect(traceReply).not.toContain('mine');
      expect(await sendRaw(pda.port, `CONNECT evil.example:443 HTTP/1.1\r\nhost: ${pda.host}\r\n\r\n`)).toBe('');
    } finally {
      await pda.close();
    }
  });

  it('requires passwords of at least eight characters, without composition rules', async () => {
    for (const password of ['q7}Zx_4', '#aZ9~pé', '漢字パスワド', '\u0000\u0001x~9Q!', '🔑🗝️7z'])
      expect([password, password.length < 8, estimatePasswordStrength(password).acceptable]).toEqual([
        password,
        true,
        false,
      ]);
    expect(estimatePasswordStrength('q7}Zx_4vB').acceptable).toBe(true);
    // Only lower-case letters and spaces.
    expect(estimatePasswordStrength(OWNER.password).acceptable).toBe(true);
  });
});

describe('the desktop app', () => {
  it('enables no Chromium features and accepts no messages from pages', () => {
    const uses = sourcesOf(['main']).flatMap(({ name, text }) =>
      [
        ...text.matchAll(
          /\bipcMain\b|\bpreload\s*:|\bcontextBridge\b|enableBlinkFeatures|appendSwitch|executeJavaScript/g,
        ),
      ].map(([word]) => `${name}: ${word}`),
    );
    expect(uses).toEqual([]);
  });
});
