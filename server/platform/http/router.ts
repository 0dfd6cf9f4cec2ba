import Router from '@koa/router';
import { Failure } from '../failure.ts';
import type { Route } from './route.ts';
import type { HttpContext, HttpMiddleware, HttpState } from './context.ts';

/** `params` are percent-decoded. */
export type Match = { route: Route; params: Record<string, string> };

export type RouteTable = {
  /**
   * Returns the matching route without calling it. If the path has routes for other methods only, returns those
   * methods. For tests.
   */
  find(method: string, path: string): Match | { allowedMethods: string[] } | undefined;
  middleware: HttpMiddleware;
  /** Returns the methods of the requested path. Call it after `middleware` has found no route. */
  allowedMethods(ctx: HttpContext): string[];
};

const VERSION_SEGMENT = /^v\d/u;

/**
 * Returns the segments that select a router: `data` of `/api/v2.6/data/…`, `owner/sessions` of
 * `/api/v2.6/owner/sessions`.
 */
const prefixOf = (path: string): string => {
  const segments = path.split('/', 6).slice(1);
  if (segments[0] === 'api') segments.shift();
  if (VERSION_SEGMENT.test(segments[0] ?? '')) segments.shift();
  const [first = '', second = ''] = segments;
  return first === 'owner' ? `${first}/${second}` : first;
};

const countLiteralSegments = (path: string): number =>
  path.split('/').filter((segment) => segment !== '' && !/^[:*]/u.test(segment)).length;

/** Returns the methods except HEAD, which every GET implies. */
const methodsOf = (layers: readonly { methods: string[] }[]): string[] =>
  [...new Set(layers.flatMap(({ methods }) => methods))].filter((method) => method !== 'HEAD');

/** Needed because `@koa/router` would pass on malformed percent escapes unchanged. @throws Failure invalid_input */
export const refuseMalformedEscapes = (path: string): void => {
  try {
    decodeURIComponent(path);
  } catch {
    throw new Failure('invalid_input', 'The address contains a malformed percent escape.', {
      details: [{ path: 'path', problem: 'malformed percent escape' }],
    });
  }
};

type PrefixRouter = { router: Router<HttpState>; dispatch: ReturnType<Router<HttpState>['routes']> };

/**
 * Creates one `@koa/router` per path prefix, because a single one would try all routes in turn. Each is created at the
 * first request for its prefix. Routes with more literal segments come first: `/data-bundle/*name/structure` before
 * `/data-bundle/*name`.
 */
export const createRouteTable = (
  routes: readonly Route[],
  createMiddleware: (route: Route) => HttpMiddleware,
): RouteTable => {
  const routesByPrefix = Map.groupBy(routes, ({ path }) => prefixOf(path));
  const routers = new Map<string, PrefixRouter>();
  const routeOf = new WeakMap<object, Route>();

  const createRouter = (prefixRoutes: readonly Route[]): PrefixRouter => {
    const router = new Router<HttpState>({ strict: true, sensitive: true });
    for (const route of prefixRoutes.toSorted((a, b) => countLiteralSegments(b.path) - countLiteralSegments(a.path))) {
      const layer = router.register(route.path, [route.method], createMiddleware(route));
      if (layer !== undefined) routeOf.set(layer, route);
    }
    return { router, dispatch: router.routes() };
  };

  const routerOf = (path: string): PrefixRouter | undefined => {
    const prefix = prefixOf(path);
    const existing = routers.get(prefix);
    const prefixRoutes = routesByPrefix.get(prefix);
    if (existing !== undefined || prefixRoutes === undefined) return existing;
    const router = createRouter(prefixRoutes);
    routers.set(prefix, router);
    return router;
  };

  return {
    find(method, path) {
      const matches = routerOf(path)?.router.match(path, method);
      if (matches === undefined || matches.path.length === 0) return undefined;
      const [layer] = matches.pathAndMethod;
      const route = layer === undefined ? undefined : routeOf.get(layer);
      if (layer === undefined || route === undefined) return { allowedMethods: methodsOf(matches.path) };
      refuseMalformedEscapes(path);
      return { route, params: layer.params(path, layer.captures(path)) };
    },
    async middleware(ctx, next) {
      const prefixRouter = routerOf(ctx.state.path);
      if (prefixRouter === undefined) return next();
      ctx['newRouterPath'] = ctx.state.path;
      await prefixRouter.dispatch(ctx as never, next);
    },
    allowedMethods(ctx) {
      return methodsOf((ctx['matched'] as { methods: string[] }[] | undefined) ?? []);
    },
  };
};
