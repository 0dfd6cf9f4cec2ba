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
} from '../renderer/shared/help/chapters.ts';
import { freePort } from '../server/platform/io/free-port.ts';
import { functionManifestSchema } from '../server/wire/functions.ts';
import { blocksOf, expectShown, follow, ROOT, type Block } from './support/pages.ts';
import { asReader } from './support/reader.ts';
import { runHere } from './support/run-command.ts';
import { OWNER, startTestPda } from './support/test-pda.ts';

/** What the pages say is so: every link leads somewhere, every command and piece of code does what stands there. */

const below = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path));
const PAGES = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...below('docs'), ...below('examples')]
  .filter((path) => path.endsWith('.md'))
  .toSorted();
const textOf = (page: string): string => readFileSync(join(ROOT, page), 'utf8');
const blocks = new Map<string, readonly Block[]>(PAGES.map((page) => [page, blocksOf(textOf(page))]));

/** These need the whole network, and are followed where it runs: tests/network-sandbox.test.ts, tests/docs-operate.test.ts. */
const FOLLOWED_ELSEWHERE: ReadonlySet<string> = new Set([
  'docs/build-an-app.md',
  'docs/build-a-plug.md',
  'docs/build-with-contracts.md',
  'docs/publish-an-offer.md',
  'docs/operate.md',
]);

describe('links', () => {
  it.each(PAGES)('%s leads nowhere where nothing is', (page) => {
    for (const { href } of linksOf(textOf(page))) {
      if (/^(?:https?|mailto):/u.test(href)) continue;
      const [path = '', anchor] = href.split('#', 2);
      const target = path === '' ? page : join(dirname(page), path);
      expect(existsSync(join(ROOT, target)), `${page}: ${href}`).toBe(true);
      if (anchor !== undefined) expect(anchorsOf(textOf(target)), `${page}: ${href}`).toContain(anchor);
    }
  });

  it('lead from the index to every page', () => {
    const listed = (index: string): string[] =>
      contentsOf(textOf(index)).flatMap(({ pages }) => pages.map(({ href }) => join(dirname(index), href)));
    const inside = linksOf(textOf('docs/adr/README.md')).map(({ href }) => join('docs/adr', href));
    const missing = PAGES.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md').filter(
      (page) => ![...listed('docs/README.md'), ...inside].includes(page),
    );
    expect(missing, 'a page that no index names is not found').toEqual([]);
  });

  it('lead from every page of the dashboard to a chapter', () => {
    const built = buildDocs(ROOT);
    for (const chapter of [
      ...CHAPTERS.map(([, to]) => to),
      chapterFor('/'),
      SIGN_IN_TROUBLE_CHAPTER,
      FUNCTION_GUIDE_CHAPTER,
    ]) {
      const [path = '', anchor] = chapter.split('#', 2);
      expect(built.has(path), chapter).toBe(true);
      if (anchor !== undefined) expect(String(built.get(path)), chapter).toContain(`id="${anchor}"`);
    }
    // The first that fits counts: none stands behind one that takes its place.
    for (const [page, chapter] of CHAPTERS) expect(chapterFor(page)).toBe(chapter);
    expect(chapterFor('/requests/acme/days')).toBe('guide/requests.html');
    expect(['localhost', '127.0.0.1', '[::1]', 'ada.localhost', 'ada.example'].map(isLocalHost)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });
});

describe('pictures', () => {
  const shown = new Set(
    PAGES.flatMap((page) =>
      linksOf(textOf(page)).flatMap(({ href, picture }) => (picture ? [join(dirname(page), href)] : [])),
    ),
  );
  const kept = below('docs/pictures');

  it('are all shown, and all there', () => {
    expect(kept.toSorted()).toEqual([...shown].toSorted());
  });

  it('take little room', () => {
    const bytes = kept.reduce((sum, path) => sum + statSync(join(ROOT, path)).size, 0);
    expect(bytes).toBeLessThan(3_000_000);
  });

  it('have alternative texts', () => {
    for (const page of PAGES)
      for (const [, words = ''] of textOf(page).matchAll(/^!\[([^\]]*)\]/gmu))
        expect(words.length, `${page}: ${words}`).toBeGreaterThan(15);
  });
});

describe('blocks', () => {
  /** Maximum number of skipped blocks; each states its reason. */
  const MOST_LEFT_OUT = 14;

  it('are run, but for a few that say why not', () => {
    const leftOut = [...blocks].flatMap(([page, all]) =>
      all.filter(({ notRun }) => notRun !== undefined).map(({ notRun }) => `${page}: ${notRun}`),
    );
    expect(leftOut.length, leftOut.join('\n')).toBeLessThanOrEqual(MOST_LEFT_OUT);
  });

  it('of commands are marked as such', () => {
    for (const [page, all] of blocks)
      for (const { kind, words } of all) {
        expect(['', 'sh', 'sh server', 'text', 'json', 'ts', 'js', 'sql', 'by hand'], page).toContain(kind);
        if (kind === '') expect(words, page).not.toMatch(/^(?:npm|node|curl|npx|git) /mu);
      }
  });

  it('of JSON are JSON, and what they are meant to be', () => {
    for (const [page, all] of blocks) {
      if (FOLLOWED_ELSEWHERE.has(page)) continue;
      for (const { kind, words } of all) if (kind === 'json') expect(() => JSON.parse(words), page).not.toThrow();
    }
    const [manifest, config] = (blocks.get('docs/functions.md') ?? []).filter(({ kind }) => kind === 'json');
    expect(functionManifestSchema.safeParse(JSON.parse(manifest?.words ?? '')).error).toBeUndefined();
    expect(config?.words).toContain('"functions"');
  });
});

describe('commands', () => {
  let folder: string;
  let home: string;
  const followed = [...blocks].filter(
    ([page, all]) =>
      !FOLLOWED_ELSEWHERE.has(page) && all.some(({ kind, notRun }) => kind.startsWith('sh') && notRun === undefined),
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

  it('of functions.md that are code run in the sandbox', async () => {
    const code = (blocks.get('docs/functions.md') ?? []).flatMap(({ kind, words }) => (kind === 'js' ? [words] : []));
    expect(code.length).toBeGreaterThan(0);
    const published = {
      id: 'sample',
      info: { version: '1.0.0', name: 'Sample', headline: 'Runs what the page shows', description: { text: 'It.' } },
      trigger: { triggerType: 'manual' },
      dataBundle: { name: 'sample', bundle: { entries: { endpoints: [{ endpoint: 'diary/entries' }] } } },
    };
    const place = join(folder, 'sample');
    await mkdir(place);
    await writeFile(
      join(place, 'manifest.json'),
      JSON.stringify({ id: 'sample', version: '1.0.0', namespace: 'sample', endpoint: 'made' }),
    );
    await writeFile(
      join(place, 'function.js'),
      `const published = ${JSON.stringify(published)};
export const configuration = () => published;
export const dataBundle = () => published.dataBundle;
export function process() {
  const text = 'some text';
  const more = ' and more';
  ${code.join('\n')}
  return [{ namespace: 'sample', endpoint: 'made', data: [{ left: scratch.list().length }] }];
}`,
    );
    const { code: ended, stdout, stderr } = await runHere(['function', 'try', place, '--home', home]);
    expect([ended, stderr.includes('nothing was saved')]).toEqual([0, true]);
    expect(JSON.parse(stdout)).toEqual([{ namespace: 'sample', endpoint: 'made', data: [{ left: 0 }] }]);
  });

  it.each(followed)(
    'of %s do what it says',
    async (page, all) => {
      const place = join(folder, basename(page, '.md'));
      await mkdir(place);
      const reader = await asReader(place);
      await cp(home, join(place, 'pda'), { recursive: true });
      // Any port that is free, in the place of the one that is written.
      const port = await freePort();
      const here = all.map((block) => ({ ...block, words: block.words.replaceAll('8080', String(port)) }));
      const ran = await follow(here, {
        folder: place,
        before: ['set -eo pipefail'],
        env: { ...reader.env, PASSWORD: OWNER.password },
      });
      await reader.close();
      expect(ran.code, `${ran.errors}\n${[...ran.outputs.values()].flat().join('\n')}`).toBe(0);
      expectShown(all, ran);
    },
    120_000,
  );
});
