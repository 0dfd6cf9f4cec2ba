import type Koa from 'koa';
import type { ConnectionOrigin } from './listener.ts';
import type { Principal } from '../auth/principal.ts';

/** What the request pipeline knows of a request; filled in by its middleware, in this order. */
export type HttpState = {
  requestId: string;
  /** host[:port] of the request, in lower case. */
  host: string;
  /** The listener that accepted the connection. */
  origin: ConnectionOrigin;
  /** The caller's address: as the relay reports it, as trusted proxies report it, else the connection's. */
  address: string;
  /** The address that rate limits count the request for; empty for this machine itself, which is not counted. */
  countedAs: string;
  /** The path that routes are matched by. */
  path: string;
  /** What follows the question mark. */
  search: string;
  /** Who calls. */
  principal: Principal;
};

export type HttpContext = Koa.ParameterizedContext<HttpState>;
export type HttpMiddleware = Koa.Middleware<HttpState>;
