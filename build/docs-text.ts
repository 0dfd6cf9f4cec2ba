import { Lexer, walkTokens, type Token } from 'marked';

export type DocsLink = { readonly href: string; readonly isPicture: boolean };

export type DocsPart = {
  readonly title: string;
  readonly pages: readonly { readonly title: string; readonly href: string }[];
};

const flattenTokens = (tokens: Token[]): Token[] => {
  const flatTokens: Token[] = [];
  void walkTokens(tokens, (token) => void flatTokens.push(token));
  return flatTokens;
};

const HTML_ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

export const plainTextOf = (token: Token): string => {
  if (token.type === 'image' || token.type === 'html') return '';
  if ('tokens' in token && token.tokens !== undefined) return token.tokens.map(plainTextOf).join('');
  const text: unknown = 'text' in token ? token.text : '';
  return String(text).replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (name) => HTML_ENTITIES[name] ?? name);
};

/** Creates a function that names the anchors of headings as Markdown viewers do: repeated headings get a number. */
export const createAnchorNamer = (): ((heading: string) => string) => {
  const useCounts = new Map<string, number>();
  return (heading) => {
    const name = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, '')
      .replaceAll(' ', '-');
    const repetition = useCounts.get(name) ?? 0;
    useCounts.set(name, repetition + 1);
    return repetition === 0 ? name : `${name}-${repetition}`;
  };
};

/** Returns the name of an anchor `<a id="name">`; undefined for other markup. */
export const anchorNameOf = (markup: string): string | undefined => /^<a id="([\w-]+)">$/u.exec(markup)?.[1];

export const anchorsOf = (markdown: string): readonly string[] => {
  const nameAnchor = createAnchorNamer();
  return flattenTokens(new Lexer().lex(markdown)).flatMap((token) => {
    if (token.type === 'heading') return [nameAnchor(plainTextOf(token))];
    const anchorName = token.type === 'html' ? anchorNameOf(token.raw) : undefined;
    return anchorName === undefined ? [] : [anchorName];
  });
};

export const linksOf = (markdown: string): readonly DocsLink[] =>
  flattenTokens(new Lexer().lex(markdown)).flatMap((token) =>
    token.type === 'link' || token.type === 'image'
      ? [{ href: String(token['href']), isPicture: token.type === 'image' }]
      : [],
  );

export const titleOf = (markdown: string): string => {
  const heading = new Lexer().lex(markdown).find(({ type }) => type === 'heading');
  return heading === undefined ? '' : plainTextOf(heading);
};

/** Returns a part for each second-level heading of the index, with a page for the first link of each list item. */
export const contentsOf = (index: string): readonly DocsPart[] => {
  const parts: { title: string; pages: { title: string; href: string }[] }[] = [];
  for (const token of new Lexer().lex(index)) {
    if (token.type === 'heading' && token['depth'] === 2) parts.push({ title: plainTextOf(token), pages: [] });
    if (token.type !== 'list') continue;
    for (const item of flattenTokens([token]).filter(({ type }) => type === 'list_item')) {
      const link = flattenTokens([item]).find(({ type }) => type === 'link');
      if (link?.type === 'link') parts.at(-1)?.pages.push({ title: plainTextOf(link), href: String(link['href']) });
    }
  }
  return parts.filter(({ pages }) => pages.length > 0);
};
