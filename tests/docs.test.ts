import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anchorsOf, contentsOf, linksOf } from '../build/docs-text.ts';
import { buildDocs } from '../build/docs.ts';
import {
  SIGN_IN_TROUBLE_CHAPTER,
  CHAPTERS,
  chapterFor,
  isLocalHost,
  FUNCTION_GUIDE_CHAPTER,
  MAP_FILE_CHAPTER,
} from '../renderer/shared/help/chapters.ts';
import { findFreePort } from '../server/platform/io/free-port.ts';
import { functionManifestSchema } from '../server/wire/functions.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';
import { blocksOf, expectOutputs, runBlocks, type Block } from './support/pages.ts';
import { ROOT } from './support/paths.ts';
import { createReader } from './support/reader.ts';
import { runInProcess } from './support/run-command.ts';
import { OWNER, startTestPda } from './support/test-pda.ts';

const pathsBelow = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path));
const PAGES = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...pathsBelow('docs'), ...pathsBelow('examples')]
  .filter((path) => path.endsWith('.md'))
  .toSorted();
const textOf = (page: string): string => readFileSync(join(ROOT, page), 'utf8');
const blocks = new Map<string, readonly Block[]>(PAGES.map((page) => [page, blocksOf(textOf(page))]));

/** Pages that need several services. tests/network-sandbox.test.ts and tests/docs-operate.test.ts execute them. */
const EXECUTED_BY_OTHER_TESTS: ReadonlySet<string> = new Set([
  'docs/build-an-app.md',
  'docs/build-a-plug.md',
  'docs/build-with-contracts.md',
  'docs/publish-an-offer.md',
  'docs/operate.md',
]);

/** Pages whose commands only thorough runs execute. */
const SLOW_PAGES: ReadonlySet<string> = new Set(['docs/archive-format.md', 'docs/build-a-data-debit.md']);

describe('links', () => {
  it.each(PAGES)('of %s have targets', (page) => {
    for (const { href } of linksOf(textOf(page))) {
      if (/^(?:https?|mailto):/u.test(href)) continue;
      const [path = '', anchor] = href.split('#', 2);
      const target = path === '' ? page : join(dirname(page), path);
      expect(existsSync(join(ROOT, target)), `${page}: ${href}`).toBe(true);
      if (anchor !== undefined) expect(anchorsOf(textOf(target)), `${page}: ${href}`).toContain(anchor);
    }
  });

  it('lead from the index to every page', () => {
    const listedPages = (index: string): string[] =>
      contentsOf(textOf(index)).flatMap(({ pages }) => pages.map(({ href }) => join(dirname(index), href)));
    const adrPages = linksOf(textOf('docs/adr/README.md')).map(({ href }) => join('docs/adr', href));
    const unlinkedPages = PAGES.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md').filter(
      (page) => ![...listedPages('docs/README.md'), ...adrPages].includes(page),
    );
    expect(unlinkedPages, 'pages without a link from an index').toEqual([]);
  });

  it('lead from the dashboard to existing chapters', () => {
    const builtFiles = buildDocs(ROOT);
    for (const chapter of [
      ...CHAPTERS.map(([, target]) => target),
      chapterFor('/'),
      SIGN_IN_TROUBLE_CHAPTER,
      FUNCTION_GUIDE_CHAPTER,
      MAP_FILE_CHAPTER,
    ]) {
      const [path = '', anchor] = chapter.split('#', 2);
      expect(builtFiles.has(path), chapter).toBe(true);
      if (anchor !== undefined) expect(String(builtFiles.get(path)), chapter).toContain(`id="${anchor}"`);
    }
    // The first matching chapter counts, so none may be hidden by an earlier one.
    for (const [page, chapter] of CHAPTERS) expect(chapterFor(page)).toBe(chapter);
    expect(chapterFor('/requests/acme/days')).toBe('guide/requests.html');
  });
});

it('recognises local host names', () => {
  for (const name of ['localhost', '127.0.0.1', '[::1]']) expect(isLocalHost(name), name).toBe(true);
  for (const name of ['ada.localhost', 'ada.example']) expect(isLocalHost(name), name).toBe(false);
});

describe('pictures', () => {
  const usedPictures = new Set(
    PAGES.flatMap((page) =>
      linksOf(textOf(page)).flatMap(({ href, isPicture }) => (isPicture ? [join(dirname(page), href)] : [])),
    ),
  );
  const existingPictures = pathsBelow('docs/pictures');

  it('are all used and all exist', () => {
    expect(existingPictures.toSorted()).toEqual([...usedPictures].toSorted());
  });

  it('are smaller than 3 MB in total', () => {
    const bytes = existingPictures.reduce((sum, path) => sum + statSync(join(ROOT, path)).size, 0);
    expect(bytes).toBeLessThan(3_000_000);
  });

  it('have alt texts', () => {
    for (const page of PAGES)
      for (const [, altText = ''] of textOf(page).matchAll(/^!\[([^\]]*)\]/gmu))
        expect(altText.length, `${page}: ${altText}`).toBeGreaterThan(15);
  });
});

describe('code blocks', () => {
  /** Maximum number of skipped blocks; each states its reason. */
  const SKIPPED_BLOCKS_MAX = 14;

  it('are skipped only in a few cases', () => {
    const skippedBlocks = [...blocks].flatMap(([page, pageBlocks]) =>
      pageBlocks.filter(({ skipReason }) => skipReason !== undefined).map(({ skipReason }) => `${page}: ${skipReason}`),
    );
    expect(skippedBlocks.length, skippedBlocks.join('\n')).toBeLessThanOrEqual(SKIPPED_BLOCKS_MAX);
  });

  it('are marked as commands if they contain commands', () => {
    for (const [page, pageBlocks] of blocks)
      for (const { kind, text } of pageBlocks) {
        expect(['', 'sh', 'sh server', 'text', 'json', 'ts', 'js', 'sql', 'by hand'], page).toContain(kind);
        if (kind === '') expect(text, page).not.toMatch(/^(?:npm|node|curl|npx|git) /mu);
      }
  });

  it('contain valid JSON, and a valid manifest of a function', () => {
    for (const [page, pageBlocks] of blocks) {
      if (EXECUTED_BY_OTHER_TESTS.has(page)) continue;
      for (const { kind, text } of pageBlocks) if (kind === 'json') expect(() => JSON.parse(text), page).not.toThrow();
    }
    const [manifest, config] = (blocks.get('docs/functions.md') ?? []).filter(({ kind }) => kind === 'json');
    expect(functionManifestSchema.safeParse(JSON.parse(manifest?.text ?? '')).error).toBeUndefined();
    expect(config?.text).toContain('"functions"');
  });
});

describe('commands and code', () => {
  let folder: string;
  let home: string;
  const pagesWithCommands = [...blocks].filter(
    ([page, pageBlocks]) =>
      !EXECUTED_BY_OTHER_TESTS.has(page) &&
      pageBlocks.some(({ kind, skipReason }) => kind.startsWith('sh') && skipReason === undefined),
  );

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pda-pages-'));
    home = join(folder, 'home');
    const pda = await startTestPda();
    const texts = ['two words', 'and three more'].map((text) => ({ text }));
    expect((await pda.call('POST', '/api/v2.6/data/diary/entries', { json: texts })).status).toBe(201);
    await pda.pda.close();
    await cp(pda.home, home, { recursive: true });
    await pda.close();
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('in functions.md run in the sandbox', async () => {
    const code = (blocks.get('docs/functions.md') ?? []).flatMap(({ kind, text }) => (kind === 'js' ? [text] : []));
    expect(code.length).toBeGreaterThan(0);
    const functionConfiguration = {
      id: 'sample',
      info: {
        version: '1.0.0',
        name: 'Sample',
        headline: 'Runs what the page shows',
        description: { text: 'Runs the code of the page.' },
      },
      trigger: { triggerType: 'manual' },
      dataBundle: { name: 'sample', bundle: { entries: { endpoints: [{ endpoint: 'diary/entries' }] } } },
    };
    const sampleFolder = join(folder, 'sample');
    await mkdir(sampleFolder);
    await writeFile(
      join(sampleFolder, 'manifest.json'),
      JSON.stringify({ id: 'sample', version: '1.0.0', namespace: 'sample', endpoint: 'made' }),
    );
    await writeFile(
      join(sampleFolder, 'function.js'),
      `const functionConfiguration = ${JSON.stringify(functionConfiguration)};
export const configuration = () => functionConfiguration;
export const dataBundle = () => functionConfiguration.dataBundle;
export function process() {
  const text = 'some text';
  const more = ' and more';
  ${code.join('\n')}
  return [{ namespace: 'sample', endpoint: 'made', data: [{ left: scratch.list().length }] }];
}`,
    );
    const { code: exitCode, stdout, stderr } = await runInProcess(['function', 'try', sampleFolder, '--home', home]);
    expect([exitCode, stderr.includes('nothing was saved')]).toEqual([0, true]);
    expect(JSON.parse(stdout)).toEqual([{ namespace: 'sample', endpoint: 'made', data: [{ left: 0 }] }]);
  });

  const expectDocumentedResults = async (page: string, pageBlocks: readonly Block[]): Promise<void> => {
    const pageFolder = join(folder, basename(page, '.md'));
    await mkdir(pageFolder);
    const reader = await createReader(pageFolder);
    await cp(home, join(pageFolder, 'pda'), { recursive: true });
    // Replaces the port of the page with a free one.
    const port = await findFreePort();
    const runnableBlocks = pageBlocks.map((block) => ({ ...block, text: block.text.replaceAll('8080', String(port)) }));
    const result = await runBlocks(runnableBlocks, {
      folder: pageFolder,
      setup: ['set -eo pipefail'],
      env: { ...reader.env, PASSWORD: OWNER.password },
    });
    await reader.close();
    expect(result.code, `${result.errors}\n${[...result.outputs.values()].flat().join('\n')}`).toBe(0);
    expectOutputs(pageBlocks, result);
  };

  const isSlow = ([page]: readonly [string, readonly Block[]]): boolean => SLOW_PAGES.has(page);
  const title = 'in %s have the documented results';
  it.each(pagesWithCommands.filter((page) => !isSlow(page)))(title, expectDocumentedResults);
  it.skipIf(!IS_THOROUGH_RUN).each(pagesWithCommands.filter(isSlow))(title, expectDocumentedResults);
});
