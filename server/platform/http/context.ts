import type Koa from 'koa';
import type { ConnectionOrigin } from './listener.ts';
import type { Principal } from '../auth/principal.ts';

/** State of a request. The middleware fills it in this order. */
export type HttpState = {
  requestId: string;
  /** host[:port] of the request, in lower case. */
  host: string;
  /** The listener that accepted the connection. */
  origin: ConnectionOrigin;
  /** Client address that the relay or trusted proxies report; otherwise the address of the connection. */
  address: string;
  /** Address that rate limits count the request for; empty for this machine, which is not counted. */
  countedAddress: string;
  /** Path that routes match. */
  path: string;
  /** Query string, without the question mark. */
  search: string;
  /** Principal of the request; anonymous until authentication. */
  principal: Principal;
};

/** Koa's context and middleware types with our state. */
export type HttpContext = Koa.ParameterizedContext<HttpState>;
export type HttpMiddleware = Koa.Middleware<HttpState>;
