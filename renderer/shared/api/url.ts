import type { RequestParts } from './contract.ts';

/** Fills the parameters into a path. `:name` is encoded whole; `*name`, used for endpoints, keeps its slashes. */
function fillPath(path: string, params: Record<string, string>): string {
  return path.replaceAll(/([:*])(\w+)/g, (_, kind: string, name: string) => {
    const value = params[name] ?? '';
    return kind === ':' ? encodeURIComponent(value) : value.split('/').map(encodeURIComponent).join('/');
  });
}

/**
 * Returns the query string of the defined parameters. An empty text is a value: it is the path of a record that is not
 * an object.
 */
function queryString(query: Record<string, string | number | undefined>): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) pairs.set(name, String(value));
  const text = pairs.toString();
  return text === '' ? '' : `?${text}`;
}

/** Returns the URL of a request. @param path path of the route, `/api/v2.6/data/:namespace/*endpoint` */
export function urlOf(path: string, { params = {}, query = {} }: Pick<RequestParts, 'params' | 'query'>): string {
  return fillPath(path, params) + queryString(query);
}

/**
 * Lets the browser save the content of a URL, without loading it into memory.
 * @param name file name; by default, the one in the response
 */
export function saveUrl(url: string, name = ''): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
}
