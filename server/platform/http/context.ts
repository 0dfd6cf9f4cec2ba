import type Koa from 'koa';
import type { ConnectionOrigin } from './listener.ts';
import type { Principal } from '../auth/principal.ts';

/** State of a request, filled in this order. `principal` is anonymous until the request is authenticated. */
export type HttpState = {
  requestId: string;
  /** host[:port] of the request, in lower case. */
  host: string;
  origin: ConnectionOrigin;
  /** Client address that the relay or trusted proxies report; otherwise the address of the connection. */
  address: string;
  /** Address by which rate limits count the request; empty for requests from this machine, which are not counted. */
  countedAddress: string;
  path: string;
  search: string;
  principal: Principal;
};

export type HttpContext = Koa.ParameterizedContext<HttpState>;
export type HttpMiddleware = Koa.Middleware<HttpState>;
