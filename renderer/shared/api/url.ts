import { encodePath } from '../../../server/wire/dashboard-paths.ts';
import type { RequestParts } from './contract.ts';

/** Encodes `:name` completely, and keeps the slashes of `*name`. */
function fillPath(path: string, params: Record<string, string>): string {
  return path.replaceAll(/([:*])(\w+)/g, (_, kind: string, name: string) => {
    const value = params[name] ?? '';
    return kind === ':' ? encodeURIComponent(value) : encodePath(value);
  });
}

/** Omits undefined parameters but keeps empty strings: an empty field path means a record that is not an object. */
function queryString(query: Record<string, string | number | undefined>): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) pairs.set(name, String(value));
  const text = pairs.toString();
  return text === '' ? '' : `?${text}`;
}

/** @param path path of the route, such as `/api/v2.6/data/:namespace/*endpoint` */
export function urlOf(path: string, { params = {}, query = {} }: Pick<RequestParts, 'params' | 'query'>): string {
  return fillPath(path, params) + queryString(query);
}

/** Starts a download, which the browser streams to the disk. @param name default: the file name in the response */
export function startDownload(url: string, name = ''): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
}
