import { Lexer, walkTokens, type Token } from 'marked';

/** One link or picture of a page, as it stands there. */
export type DocsLink = { readonly href: string; readonly picture: boolean };

/** One part of the contents: what it is called, and its pages in order. */
export type DocsPart = {
  readonly title: string;
  readonly pages: readonly { readonly title: string; readonly href: string }[];
};

/** Every token of a page or a part of it, also those within others. */
const allOf = (tokens: Token[]): Token[] => {
  const all: Token[] = [];
  void walkTokens(tokens, (token) => void all.push(token));
  return all;
};

const NAMED: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };

/** The words of a heading or a link, without marks. */
export const wordsOf = (token: Token): string => {
  if (token.type === 'image' || token.type === 'html') return '';
  if ('tokens' in token && token.tokens !== undefined) return token.tokens.map(wordsOf).join('');
  const text: unknown = 'text' in token ? token.text : '';
  return String(text).replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (name) => NAMED[name] ?? name);
};

/** Names for the headings of one page, by the rule that every viewer of Markdown has: a second one of the same words gets a number. */
export const createAnchors = (): ((words: string) => string) => {
  const used = new Map<string, number>();
  return (words) => {
    const name = words
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, '')
      .replaceAll(' ', '-');
    const before = used.get(name) ?? 0;
    used.set(name, before + 1);
    return before === 0 ? name : `${name}-${before}`;
  };
};

/** The one piece of markup that pages have: `<a id="name">`, a place within a list or a table. */
export const placeOf = (markup: string): string | undefined => /^<a id="([\w-]+)">$/u.exec(markup)?.[1];

/** Names of all headings and places of a page. */
export const anchorsOf = (markdown: string): readonly string[] => {
  const anchor = createAnchors();
  return allOf(new Lexer().lex(markdown)).flatMap((token) => {
    if (token.type === 'heading') return [anchor(wordsOf(token))];
    const place = token.type === 'html' ? placeOf(token.raw) : undefined;
    return place === undefined ? [] : [place];
  });
};

/** Every link and picture of a page. */
export const linksOf = (markdown: string): readonly DocsLink[] =>
  allOf(new Lexer().lex(markdown)).flatMap((token) =>
    token.type === 'link' || token.type === 'image'
      ? [{ href: String(token['href']), picture: token.type === 'image' }]
      : [],
  );

/** The first heading of a page. */
export const titleOf = (markdown: string): string => {
  const heading = new Lexer().lex(markdown).find(({ type }) => type === 'heading');
  return heading === undefined ? '' : wordsOf(heading);
};

/** The contents, as the index lists them: a part for each heading of the second rank, a page for the first link of each item below it. */
export const contentsOf = (index: string): readonly DocsPart[] => {
  const parts: { title: string; pages: { title: string; href: string }[] }[] = [];
  for (const token of new Lexer().lex(index)) {
    if (token.type === 'heading' && token['depth'] === 2) parts.push({ title: wordsOf(token), pages: [] });
    if (token.type !== 'list') continue;
    for (const item of allOf([token]).filter(({ type }) => type === 'list_item')) {
      const link = allOf([item]).find(({ type }) => type === 'link');
      if (link?.type === 'link') parts.at(-1)?.pages.push({ title: wordsOf(link), href: String(link['href']) });
    }
  }
  return parts.filter(({ pages }) => pages.length > 0);
};
