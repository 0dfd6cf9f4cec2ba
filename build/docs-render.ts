import { posix } from 'node:path';
import { Marked, type Tokens } from 'marked';
import { escapeHtml } from '../server/wire/html.ts';
import { createAnchorNamer, anchorNameOf, titleOf, plainTextOf, type DocsPart } from './docs-text.ts';

/** Maps project files to served paths, and pictures to their display sizes. All paths have forward slashes. */
export type DocsPaths = {
  servedPathOf(path: string): string | undefined;
  sizeOf(path: string): { width: number; height: number } | undefined;
};

export type DocsPage = { readonly path: string; readonly markdown: string };

const EXTERNAL_URL = /^(?:https?:|mailto:)/u;

/** Returns the URL of a link, relative to the page unless it is external; undefined if its target is not served. */
const addressOf = (href: string, page: string, docsPaths: DocsPaths): string | undefined => {
  if (href.startsWith('#') || EXTERNAL_URL.test(href)) return href;
  const [path = '', anchor] = href.split('#', 2);
  const target = posix.join(posix.dirname(page), path).replace(/\/$/u, '');
  const targetPath = docsPaths.servedPathOf(target);
  const currentPath = docsPaths.servedPathOf(page);
  if (targetPath === undefined || currentPath === undefined) return undefined;
  return posix.relative(posix.dirname(currentPath), targetPath) + (anchor === undefined ? '' : `#${anchor}`);
};

/**
 * Renders the body of a page. Escapes HTML except anchors, removes comments, and links only web and mail URLs, anchors
 * of the page and served files.
 */
const bodyOf = ({ path, markdown }: DocsPage, docsPaths: DocsPaths): string => {
  const nameAnchor = createAnchorNamer();
  const marked = new Marked({
    renderer: {
      html({ text }) {
        const anchorName = anchorNameOf(text);
        if (anchorName !== undefined) return `<a id="${escapeHtml(anchorName)}"></a>`;
        return text === '</a>' || /^\s*<!--[\s\S]*-->\s*$/u.test(text) ? '' : escapeHtml(text);
      },
      heading(token) {
        const { tokens, depth } = token;
        const name = escapeHtml(nameAnchor(plainTextOf(token)));
        return `<h${depth} id="${name}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const url = addressOf(href, path, docsPaths);
        const label = this.parser.parseInline(tokens);
        if (url === undefined) return label;
        return `<a href="${escapeHtml(url)}"${EXTERNAL_URL.test(url) ? ' rel="noreferrer"' : ''}>${label}</a>`;
      },
      image({ href, text }) {
        const url = EXTERNAL_URL.test(href) ? undefined : addressOf(href, path, docsPaths);
        if (url === undefined) return escapeHtml(text);
        const size = docsPaths.sizeOf(posix.join(posix.dirname(path), href));
        const sizeAttributes = size === undefined ? '' : ` width="${size.width}" height="${size.height}"`;
        return `<img src="${escapeHtml(url)}" alt="${escapeHtml(text)}"${sizeAttributes} loading="lazy">`;
      },
      // Wide content scrolls inside its box. `tabindex` lets the keyboard focus it.
      code: ({ text }) => `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`,
      table(token: Tokens.Table) {
        const cells = (row: Tokens.TableCell[], tag: string): string =>
          row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('');
        const rows = token.rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n');
        const head = token.header.some(({ text }) => text !== '')
          ? `<thead><tr>${cells(token.header, 'th')}</tr></thead>`
          : '';
        return `<div class="table" tabindex="0"><table>${head}<tbody>${rows}</tbody></table></div>\n`;
      },
    },
  });
  return marked.parse(markdown, { async: false });
};

const contentsHtml = (page: string, index: string, contents: readonly DocsPart[], docsPaths: DocsPaths): string =>
  contents
    .map(({ title, pages }) => {
      const items = pages.flatMap((entry) => {
        const target = posix.join(posix.dirname(index), entry.href);
        const url = addressOf(posix.relative(posix.dirname(page), target), page, docsPaths);
        if (url === undefined) return [];
        const currentAttribute = target === page ? ' aria-current="page"' : '';
        return [`<li><a href="${escapeHtml(url)}"${currentAttribute}>${escapeHtml(entry.title)}</a></li>`];
      });
      return `<h2>${escapeHtml(title)}</h2>\n<ul>${items.join('\n')}</ul>`;
    })
    .join('\n');

const nextHtml = (page: string, index: string, contents: readonly DocsPart[], docsPaths: DocsPaths): string => {
  for (const { pages } of contents) {
    const position = pages.findIndex(({ href }) => posix.join(posix.dirname(index), href) === page);
    const next = position === -1 ? undefined : pages[position + 1];
    if (next === undefined) continue;
    const target = posix.relative(posix.dirname(page), posix.join(posix.dirname(index), next.href));
    const url = addressOf(target, page, docsPaths);
    if (url !== undefined)
      return `<p class="next"><a href="${escapeHtml(url)}">Next: ${escapeHtml(next.title)}</a></p>`;
  }
  return '';
};

const LOGO_SVG =
  '<svg width="24" height="24" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#0f5d58"/><path d="M8 15.2 16 8l8 7.2V24H8Z" fill="none" stroke="#fff" stroke-width="2.2" stroke-linejoin="round"/><path d="M16 24v-6" stroke="#fff" stroke-width="2.2" stroke-linecap="round"/></svg>';

/** Renders a page without scripts or external resources. Its links to pages of the guide are relative. */
export const pageHtml = (
  page: DocsPage,
  frame: { readonly index: string; readonly contents: readonly DocsPart[] },
  docsPaths: DocsPaths,
): string => {
  const { index, contents } = frame;
  const servedPath = docsPaths.servedPathOf(page.path) ?? '';
  const relativeUrl = (path: string): string => escapeHtml(posix.relative(posix.dirname(servedPath), path));
  const title = titleOf(page.markdown);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(page.path === index ? 'Help' : `${title} · Help`)}</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${relativeUrl('docs.css')}">
</head>
<body>
<a class="skip-link" href="#content">Skip to content</a>
<header><a class="brand" href="${relativeUrl(docsPaths.servedPathOf(index) ?? '')}">${LOGO_SVG}<span>Help</span></a><a class="to-contents" href="#contents">Contents</a><a href="/">Your account</a></header>
<div class="frame">
<nav id="contents" aria-label="Contents">
${contentsHtml(page.path, index, contents, docsPaths)}
</nav>
<main id="content" tabindex="-1">
${bodyOf(page, docsPaths)}${nextHtml(page.path, index, contents, docsPaths)}
</main>
</div>
</body>
</html>
`;
};
