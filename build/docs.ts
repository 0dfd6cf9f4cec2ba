import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { cssVariables, FONT_FAMILY, MONOSPACE_FONT_FAMILY } from '../renderer/shared/theme/colours.ts';
import { pageHtml, type DocsPage, type DocsPaths } from './docs-render.ts';
import { contentsOf } from './docs-text.ts';

/** Not in the dashboard's folder, because the dashboard is public and the guide is not (ADR 27). */
export const DOCS_FOLDER = 'dist/docs';

/** The page whose lists become the navigation beside each page. */
const INDEX = 'docs/README.md';

const OTHER_PAGES = ['README.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md', 'CHANGELOG.md'];

const EXAMPLES = 'examples';
const PICTURE = /\.(?:webp|svg)$/u;

/** Pictures are taken at twice the display size. */
const PIXEL_RATIO = 2;
const WEBP_HEADER_BYTES = 30;

const filesBelow = (root: string, folder: string): string[] =>
  existsSync(join(root, folder))
    ? readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .map((path) => posix.join(folder, path.replaceAll('\\', '/')))
        .filter((path) => statSync(join(root, path)).isFile())
        .toSorted()
    : [];

/** Reads the display size of a WebP file with a VP8X chunk, which Chromium writes; undefined for other files. */
const displaySizeOf = (path: string): { width: number; height: number } | undefined => {
  if (!path.endsWith('.webp') || !existsSync(path)) return undefined;
  const header = readFileSync(path).subarray(0, WEBP_HEADER_BYTES);
  if (header.toString('latin1', 12, 16) !== 'VP8X') return undefined;
  const pixelsAt = (offset: number): number => Math.round((header.readUIntLE(offset, 3) + 1) / PIXEL_RATIO);
  return { width: pixelsAt(24), height: pixelsAt(27) };
};

const createSourcePage = (root: string, path: string): DocsPage => {
  const text = readFileSync(join(root, path), 'utf8');
  const fence = '`'.repeat(Math.max(2, ...[...text.matchAll(/`+/gu)].map(([ticks]) => ticks.length)) + 1);
  return { path, markdown: `# ${path}\n\n${fence}\n${text.trimEnd()}\n${fence}\n` };
};

const createFolderPage = (path: string, files: readonly string[]): DocsPage => ({
  path,
  markdown: `# ${path}\n\n${files.map((file) => `- [${posix.relative(path, file)}](${posix.relative(posix.dirname(path), file)})`).join('\n')}\n`,
});

const buildCss = (): string => {
  const { light, dark } = cssVariables({} as never);
  const formatVariables = (variables: Record<string, string>): string =>
    Object.entries(variables)
      .filter(([name]) => !name.startsWith('--mantine-'))
      .map(([name, value]) => `${name}:${value};`)
      .join('');
  return `:root{--font:${FONT_FAMILY};--mono:${MONOSPACE_FONT_FAMILY};${formatVariables(light)}}
@media (prefers-color-scheme: dark){:root{${formatVariables(dark)}}}
${readFileSync(join(import.meta.dirname, 'docs.css'), 'utf8')}`;
};

export const buildDocs = (root: string): ReadonlyMap<string, string | Buffer> => {
  const docsFiles = filesBelow(root, 'docs');
  const examples = filesBelow(root, EXAMPLES).filter((path) => /\.(?:ts|js|json|md)$/u.test(path));
  const folders = new Set(examples.map((path) => posix.dirname(path)));
  const pictures = docsFiles.filter((path) => PICTURE.test(path));
  const pages: DocsPage[] = [
    ...[
      ...docsFiles.filter((path) => path.endsWith('.md')),
      ...OTHER_PAGES.filter((path) => existsSync(join(root, path))),
    ].map((path) => ({ path, markdown: readFileSync(join(root, path), 'utf8') })),
    ...examples.map((path) => createSourcePage(root, path)),
    ...[...folders].map((path) =>
      createFolderPage(
        path,
        examples.filter((file) => file.startsWith(`${path}/`)),
      ),
    ),
  ];
  const outputPathOf = (path: string): string =>
    path.startsWith('docs/') ? path.slice('docs/'.length) : `project/${path}`;
  const servedPaths = new Map<string, string>([
    ...pages.map(({ path }) => [path, `${outputPathOf(path).replace(/\.md$/u, '')}.html`] as const),
    ...pictures.map((path) => [path, outputPathOf(path)] as const),
  ]);
  const docsPaths: DocsPaths = {
    servedPathOf: (path) => servedPaths.get(path),
    sizeOf: (path) => displaySizeOf(join(root, path)),
  };
  const index = pages.find(({ path }) => path === INDEX);
  const contents = contentsOf(index?.markdown ?? '');
  return new Map<string, string | Buffer>([
    ['docs.css', buildCss()],
    ...pages.map(
      (page) => [servedPaths.get(page.path) ?? '', pageHtml(page, { index: INDEX, contents }, docsPaths)] as const,
    ),
    ...pictures.map((path) => [outputPathOf(path), readFileSync(join(root, path))] as const),
  ]);
};

/** Writes the guide to a new folder and then swaps the folders, because a running server may be reading the guide. */
export const writeDocs = (root: string, out: string = join(root, DOCS_FOLDER)): void => {
  const newFolder = `${out}-${process.pid}`;
  rmSync(newFolder, { recursive: true, force: true });
  for (const [path, content] of buildDocs(root)) {
    mkdirSync(dirname(join(newFolder, path)), { recursive: true });
    writeFileSync(join(newFolder, path), content);
  }
  const oldFolder = `${newFolder}-old`;
  if (existsSync(out)) renameSync(out, oldFolder);
  renameSync(newFolder, out);
  rmSync(oldFolder, { recursive: true, force: true });
};

if (import.meta.main) writeDocs(dirname(import.meta.dirname));
