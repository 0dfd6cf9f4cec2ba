import type { Language } from './language.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/gu, (char) => ENTITIES[char] ?? char);

/** A page for anonymous visitors: one inline style sheet, no script, nothing from elsewhere. @param parts.body HTML, escaped already */
export const htmlPage = (parts: { language: Language; title: string; style: string; body: string }): string =>
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
