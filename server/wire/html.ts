import type { Language } from './language.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for HTML content and attribute values. */
export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/gu, (char) => ENTITIES[char] ?? char);

/**
 * Builds a page for anonymous readers: one inline style sheet, no scripts, no external resources.
 * @param parts.body escaped HTML
 */
export const buildHtmlPage = (parts: { language: Language; title: string; style: string; body: string }): string =>
  `<!doctype html>
<html lang="${parts.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(parts.title)}</title>
<style>${parts.style}</style>
</head>
<body>
${parts.body}
</body>
</html>
`;
