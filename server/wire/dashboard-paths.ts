// Paths of the pages about Data Debits. This file contains no schemas, so that the dashboard can import it without
// bundling Zod.

/** First path segments of the other pages of a section. */
const OTHER_PAGES: Record<'/requests' | '/sharing', readonly string[]> = {
  '/requests': ['offers'],
  '/sharing': ['contracts', 'links', 'guests'],
};

export const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

/**
 * Returns the path of the page of a Data Debit. A key that begins like the path of another page, or with the segment
 * `~`, gets the prefix `~/`.
 */
export const dataDebitPath = (section: keyof typeof OTHER_PAGES, key: string): string => {
  const [first = ''] = key.split('/');
  const prefix = first === '~' || OTHER_PAGES[section].includes(first) ? '~/' : '';
  return `${section}/${prefix}${encodePath(key)}`;
};
