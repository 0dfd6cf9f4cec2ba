import Router from '@koa/router';
import { Failure } from '../failure.ts';
import type { Route } from './route.ts';
import type { HttpContext, HttpMiddleware, HttpState } from './context.ts';

export type Match = { route: Route; params: Record<string, string> };

export type RouteTable = {
  /** The route for a request, the methods of the path when this method is not one of them, or undefined. */
  find(method: string, path: string): Match | { allowed: string[] } | undefined;
  /** Runs the middleware of the route that matches `ctx.state.path`; calls `next` when none does. */
  middleware: HttpMiddleware;
  /** Methods of the path that the request named, after `middleware` found none for its own method. */
  allowedMethods(ctx: HttpContext): string[];
};

const VERSION_SEGMENT = /^v\d/u;

/** The segments that select a router: `data` of `/api/v2.6/data/…`, `owner/sessions` of `/api/v2.6/owner/sessions`. */
const prefixOf = (path: string): string => {
  const segments = path.split('/', 6).slice(1);
  if (segments[0] === 'api') segments.shift();
  if (VERSION_SEGMENT.test(segments[0] ?? '')) segments.shift();
  const [first = '', second = ''] = segments;
  return first === 'owner' ? `${first}/${second}` : first;
};

/** Literal segments of a path: the more there are, the earlier the route is tried. */
const literalSegments = (path: string): number =>
  path.split('/').filter((segment) => segment !== '' && !/^[:*]/u.test(segment)).length;

/** @throws Failure invalid_input: @koa/router would pass the text on as it is */
export const refuseMalformedEscapes = (path: string): void => {
  try {
    decodeURIComponent(path);
  } catch {
    throw new Failure('invalid_input', 'The address holds a broken percent escape.', {
      details: [{ path: 'path', problem: 'broken percent escape' }],
    });
  }
};

/**
 * Registers declared routes on one `@koa/router` per path prefix. A single router tries every route in turn, which for 200 of them costs several
 * times as much as the few that share a prefix. Routes with more literal segments come first, so `/data-bundle/*name/structure` is found before
 * `/data-bundle/*name`.
 *
 * @param answer middleware of a route, run when it matches; `ctx.params` holds its decoded parameters
 */
export const createRouteTable = (routes: readonly Route[], answer: (route: Route) => HttpMiddleware): RouteTable => {
  const routers = new Map<string, Router<HttpState>>();
  const routeOf = new WeakMap<object, Route>();
  for (const route of routes.toSorted((a, b) => literalSegments(b.path) - literalSegments(a.path))) {
    const prefix = prefixOf(route.path);
    let router = routers.get(prefix);
    if (router === undefined) routers.set(prefix, (router = new Router({ strict: true, sensitive: true })));
    const layer = router.register(route.path, [route.method], answer(route));
    if (layer !== undefined) routeOf.set(layer, route);
  }
  const dispatchers = new Map([...routers].map(([prefix, router]) => [prefix, router.routes()]));

  return {
    find(method, path) {
      const matched = routers.get(prefixOf(path))?.match(path, method);
      if (matched === undefined || matched.path.length === 0) return undefined;
      const [layer] = matched.pathAndMethod;
      const route = layer === undefined ? undefined : routeOf.get(layer);
      if (layer === undefined || route === undefined)
        return {
          allowed: [...new Set(matched.path.flatMap(({ methods }) => methods))].filter((one) => one !== 'HEAD'),
        };
      refuseMalformedEscapes(path);
      return { route, params: layer.params(path, layer.captures(path)) };
    },
    async middleware(ctx, next) {
      const dispatch = dispatchers.get(prefixOf(ctx.state.path));
      if (dispatch === undefined) return next();
      ctx['newRouterPath'] = ctx.state.path;
      await dispatch(ctx as never, next);
    },
    allowedMethods(ctx) {
      const layers = (ctx['matched'] as { methods: string[] }[] | undefined) ?? [];
      return [...new Set(layers.flatMap(({ methods }) => methods))].filter((method) => method !== 'HEAD');
    },
  };
};
