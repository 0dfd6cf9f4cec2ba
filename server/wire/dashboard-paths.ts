/** Paths of the dashboard that the desktop app also opens. Free of schemas, so that the dashboard can import it. */

/** Names of the pages of a section that are not about a Data Debit. */
const OTHER_PAGES: Record<'/requests' | '/sharing', readonly string[]> = {
  '/requests': ['offers'],
  '/sharing': ['contracts', 'links', 'guests'],
};

/** Encodes the segments of a path and keeps its slashes. */
export const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

/** Returns the page of a Data Debit. Keys may contain slashes, so `~/` avoids collisions with other pages. */
export const dataDebitPath = (section: keyof typeof OTHER_PAGES, key: string): string => {
  const [first = ''] = key.split('/');
  const prefix = first === '~' || OTHER_PAGES[section].includes(first) ? '~/' : '';
  return `${section}/${prefix}${encodePath(key)}`;
};
