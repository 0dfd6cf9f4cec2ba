import { Failure } from './failure.ts';
import type { Route } from './route.ts';

type Compiled = { route: Route; pattern: () => RegExp; names: string[]; weight: number };

export type Match = { route: Route; params: Record<string, string> };

const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

const compile = (route: Route): Compiled => {
  const names: string[] = [];
  let weight = 0;
  const source = route.path
    .split('/')
    .map((segment) => {
      const name = segment.slice(1);
      if (segment.startsWith(':')) {
        names.push(name);
        return '([^/]+)';
      }
      if (segment.startsWith('*')) {
        names.push(name);
        return '(.+)';
      }
      weight += segment === '' ? 0 : 1;
      return escape(segment);
    })
    .join('/');
  // Most are asked for long after the start, or never.
  let pattern: RegExp | undefined;
  return { route, pattern: () => (pattern ??= new RegExp(`^${source}$`, 'u')), names, weight };
};

const VERSION_SEGMENT = /^v\d/u;

/** The first word of a path behind `/api` and its version: the bucket in which its few neighbours are tried one after the other. */
const bucketOf = (path: string): string => {
  const [, first = '', second = '', third = ''] = path.split('/', 4);
  if (first !== 'api') return first;
  return VERSION_SEGMENT.test(second) ? third : second;
};

const decode = (text: string): string => {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Failure('invalid_input', 'The address holds a broken percent escape.', {
      details: [{ path: 'path', problem: 'broken percent escape' }],
    });
  }
};

export type Router = {
  /** The route for a request, the methods that exist on the path when it is not this one, or undefined. */
  find(method: string, path: string): Match | { allowed: string[] } | undefined;
};

/**
 * Finds the route of a path. More literal segments win, so `/data-bundle/*name/structure` is found before
 * `/data-bundle/*name`.
 */
export const createRouter = (routes: readonly Route[]): Router => {
  const buckets = new Map<string, Compiled[]>();
  for (const route of routes) {
    const bucket = bucketOf(route.path);
    const list = buckets.get(bucket) ?? [];
    list.push(compile(route));
    list.sort((a, b) => b.weight - a.weight);
    buckets.set(bucket, list);
  }

  return {
    find(method, path) {
      const candidates = buckets.get(bucketOf(path));
      if (candidates === undefined) return undefined;
      for (const candidate of candidates) {
        const found = candidate.route.method === method ? candidate.pattern().exec(path) : null;
        if (found === null) continue;
        const params: Record<string, string> = {};
        for (const [index, name] of candidate.names.entries()) params[name] = decode(found[index + 1] ?? '');
        return { route: candidate.route, params };
      }
      const others = candidates.filter((candidate) => candidate.pattern().test(path));
      return others.length > 0 ? { allowed: [...new Set(others.map((other) => other.route.method))] } : undefined;
    },
  };
};
