import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { cssVariables, FONT_FAMILY, MONOSPACE_FONT_FAMILY } from '../renderer/shared/theme/colours.ts';
import { pageHtml, type DocsPage, type DocsPlaces } from './docs-render.ts';
import { contentsOf } from './docs-text.ts';

/**
 * Folder of the built guide, below the project's root. Separate from the dashboard, which is public; the guide is not
 * (server/pda/account/docs).
 */
export const DOCS = 'dist/docs';

/** Its lists become the navigation beside each page. */
const INDEX = 'docs/README.md';

/** Pages outside of `docs/` that the index links to. */
const ALSO = ['README.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md', 'CHANGELOG.md'];

/** Folder of examples that pages link to and show. */
const EXAMPLES = 'examples';
const PICTURE = /\.(?:webp|svg)$/u;

/** Pictures are taken at twice the display size. */
const DENSITY = 2;

const filesBelow = (root: string, folder: string): string[] =>
  existsSync(join(root, folder))
    ? readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .map((path) => posix.join(folder, path.replaceAll('\\', '/')))
        .filter((path) => statSync(join(root, path)).isFile())
        .toSorted()
    : [];

/** Reads width and height from the header of a WebP file, as browsers write it. */
const sizeOfPicture = (path: string): { width: number; height: number } | undefined => {
  if (!path.endsWith('.webp') || !existsSync(path)) return undefined;
  const head = readFileSync(path).subarray(0, 30);
  if (head.toString('latin1', 12, 16) !== 'VP8X') return undefined;
  const pixels = (sizeAt: number): number => Math.round((head.readUIntLE(sizeAt, 3) + 1) / DENSITY);
  return { width: pixels(24), height: pixels(27) };
};

/** Returns a file of an example as a page. */
const sourcePage = (root: string, path: string): DocsPage => {
  const text = readFileSync(join(root, path), 'utf8');
  const fence = '`'.repeat(Math.max(2, ...[...text.matchAll(/`+/gu)].map(([ticks]) => ticks.length)) + 1);
  return { path, markdown: `# ${path}\n\n${fence}\n${text.trimEnd()}\n${fence}\n` };
};

/** Returns a folder of an example as a page that lists its files. */
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
  return `:root{--font:${FONT_FAMILY};--mono:${MONOSPACE_FONT_FAMILY};${list(light)}}
@media (prefers-color-scheme: dark){:root{${list(dark)}}}
${readFileSync(join(import.meta.dirname, 'docs.css'), 'utf8')}`;
};

/** Builds the guide: a map from served path to content. @param root folder of the project */
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
  // Everything lies below one folder; files outside of `docs/` are placed beside it.
  const placementOf = (path: string): string => (path.startsWith('docs/') ? path.slice(5) : `project/${path}`);
  const served = new Map<string, string>([
    ...pages.map(({ path }) => [path, `${placementOf(path).replace(/\.md$/u, '')}.html`] as const),
    ...pictures.map((path) => [path, placementOf(path)] as const),
  ]);
  const docsPaths: DocsPlaces = {
    served: (path) => served.get(path),
    sizeOf: (path) => sizeOfPicture(join(root, path)),
  };
  const index = pages.find(({ path }) => path === INDEX);
  const contents = contentsOf(index?.markdown ?? '');
  return new Map<string, string | Buffer>([
    ['docs.css', css()],
    ...pages.map(
      (page) => [served.get(page.path) ?? '', pageHtml(page, { index: INDEX, contents }, docsPaths)] as const,
    ),
    ...pictures.map((path) => [placementOf(path), readFileSync(join(root, path))] as const),
  ]);
};

/** Writes the guide atomically, because a running server may read it. */
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
