import type { Language } from './language.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for HTML content and attribute values. */
export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/gu, (char) => ENTITIES[char] ?? char);

/** @param parts.body HTML, in which texts are escaped @param parts.script path of a script of this server */
export const buildHtmlPage = (parts: {
  language: Language;
  title: string;
  style: string;
  body: string;
  script?: string | undefined;
}): string =>
  `<!doctype html>
<html lang="${parts.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(parts.title)}</title>
<style>${parts.style}</style>${parts.script === undefined ? '' : `\n<script type="module" src="${parts.script}"></script>`}
</head>
<body>
${parts.body}
</body>
</html>
`;
