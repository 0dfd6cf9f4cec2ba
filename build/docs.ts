import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { cssVariables, FONT, MONO } from '../renderer/shared/theme/colours.ts';
import { pageHtml, type DocsPage, type DocsPlaces } from './docs-render.ts';
import { contentsOf } from './docs-text.ts';

/** Where the built guide is, below the project's root. Not with the dashboard: that is for whoever calls, this is not (server/pda/account/docs). */
export const DOCS = 'dist/docs';

/** Its contents are those of the column beside each page. */
const INDEX = 'docs/README.md';

/** Pages outside of `docs/` that the index leads to. */
const ALSO = ['README.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md', 'CHANGELOG.md'];

/** What pages lead to and show beside pages. */
const EXAMPLES = 'examples';
const PICTURE = /\.(?:webp|svg)$/u;

/** Pictures are taken at twice the size, for dense screens. */
const DENSITY = 2;

const filesBelow = (root: string, folder: string): string[] =>
  existsSync(join(root, folder))
    ? readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .map((path) => posix.join(folder, path.replaceAll('\\', '/')))
        .filter((path) => statSync(join(root, path)).isFile())
        .toSorted()
    : [];

/** Width and height out of the head of a WebP file, as browsers write it. */
const sizeOfPicture = (path: string): { width: number; height: number } | undefined => {
  if (!path.endsWith('.webp') || !existsSync(path)) return undefined;
  const head = readFileSync(path).subarray(0, 30);
  if (head.toString('latin1', 12, 16) !== 'VP8X') return undefined;
  const pixels = (at: number): number => Math.round((head.readUIntLE(at, 3) + 1) / DENSITY);
  return { width: pixels(24), height: pixels(27) };
};

/** A file of an example as a page: what it holds, as it is. */
const sourcePage = (root: string, path: string): DocsPage => {
  const text = readFileSync(join(root, path), 'utf8');
  const fence = '`'.repeat(Math.max(2, ...[...text.matchAll(/`+/gu)].map(([ticks]) => ticks.length)) + 1);
  return { path, markdown: `# ${path}\n\n${fence}\n${text.trimEnd()}\n${fence}\n` };
};

/** A folder of an example as a page: what is in it. */
const folderPage = (path: string, files: readonly string[]): DocsPage => ({
  path,
  markdown: `# ${path}\n\n${files.map((file) => `- [${posix.relative(path, file)}](${posix.relative(posix.dirname(path), file)})`).join('\n')}\n`,
});

const css = (): string => {
  const { light, dark } = cssVariables({} as never);
  const list = (variables: Record<string, string>): string =>
    Object.entries(variables)
      .filter(([name]) => !name.startsWith('--mantine-'))
      .map(([name, value]) => `${name}:${value};`)
      .join('');
  return `:root{--font:${FONT};--mono:${MONO};${list(light)}}
@media (prefers-color-scheme: dark){:root{${list(dark)}}}
${readFileSync(join(import.meta.dirname, 'docs.css'), 'utf8')}`;
};

/**
 * The guide as it is served: served paths and what is there.
 *
 * @param root folder of the project
 */
export const buildDocs = (root: string): ReadonlyMap<string, string | Buffer> => {
  const below = filesBelow(root, 'docs');
  const examples = filesBelow(root, EXAMPLES).filter((path) => /\.(?:ts|js|json|md)$/u.test(path));
  const folders = new Set(examples.map((path) => posix.dirname(path)));
  const pictures = below.filter((path) => PICTURE.test(path));
  const pages: DocsPage[] = [
    ...[...below.filter((path) => path.endsWith('.md')), ...ALSO.filter((path) => existsSync(join(root, path)))].map(
      (path) => ({ path, markdown: readFileSync(join(root, path), 'utf8') }),
    ),
    ...examples.map((path) => sourcePage(root, path)),
    ...[...folders].map((path) =>
      folderPage(
        path,
        examples.filter((file) => file.startsWith(`${path}/`)),
      ),
    ),
  ];
  // All of it below one folder: what is outside of `docs/` is put beside it.
  const place = (path: string): string => (path.startsWith('docs/') ? path.slice(5) : `project/${path}`);
  const served = new Map<string, string>([
    ...pages.map(({ path }) => [path, `${place(path).replace(/\.md$/u, '')}.html`] as const),
    ...pictures.map((path) => [path, place(path)] as const),
  ]);
  const places: DocsPlaces = { served: (path) => served.get(path), sizeOf: (path) => sizeOfPicture(join(root, path)) };
  const index = pages.find(({ path }) => path === INDEX);
  const contents = contentsOf(index?.markdown ?? '');
  return new Map<string, string | Buffer>([
    ['docs.css', css()],
    ...pages.map((page) => [served.get(page.path) ?? '', pageHtml(page, { index: INDEX, contents }, places)] as const),
    ...pictures.map((path) => [place(path), readFileSync(join(root, path))] as const),
  ]);
};

/** Writes it, whole or not at all: a server that runs reads from there. */
export const writeDocs = (root: string, out: string = join(root, DOCS)): void => {
  const fresh = `${out}-${process.pid}`;
  rmSync(fresh, { recursive: true, force: true });
  for (const [path, content] of buildDocs(root)) {
    mkdirSync(dirname(join(fresh, path)), { recursive: true });
    writeFileSync(join(fresh, path), content);
  }
  const old = `${fresh}-old`;
  if (existsSync(out)) renameSync(out, old);
  renameSync(fresh, out);
  rmSync(old, { recursive: true, force: true });
};

if (import.meta.main) writeDocs(dirname(import.meta.dirname));
