import helmet from 'helmet';
import type { IncomingMessage, ServerResponse } from 'node:http';

export type BaseHeaders = Map<string, string>;

/** Returns the headers that helmet sets on a fake response, of which it calls only these two methods. */
const captureHeaders = (
  middleware: (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void,
): BaseHeaders => {
  const headers = new Map<string, string>();
  const response = {
    setHeader: (name: string, value: string) => headers.set(name.toLowerCase(), value),
    removeHeader: () => undefined,
  };
  middleware({} as IncomingMessage, response as unknown as ServerResponse, (error) => {
    if (error !== undefined) throw error;
  });
  return headers;
};

/** Any origin may read these responses: no request to the API is authorised by cookies. */
export const API_HEADERS: BaseHeaders = new Map([
  ...captureHeaders(
    helmet({
      contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
      crossOriginResourcePolicy: { policy: 'cross-origin' },
      xFrameOptions: { action: 'deny' },
      strictTransportSecurity: false,
      xXssProtection: false,
      xDownloadOptions: false,
      xDnsPrefetchControl: false,
      xPermittedCrossDomainPolicies: false,
      originAgentCluster: false,
    }),
  ),
  ['cache-control', 'no-store'],
  ['access-control-allow-origin', '*'],
  ['access-control-expose-headers', 'x-auth-token, retry-after'],
]);

const createContentHeaders = (policy: string): BaseHeaders =>
  new Map([
    ['content-security-policy', policy],
    ['x-content-type-options', 'nosniff'],
    ['x-frame-options', 'SAMEORIGIN'],
    ['referrer-policy', 'no-referrer'],
    ['cross-origin-resource-policy', 'cross-origin'],
    // Browsers cache the response but revalidate it each time, because a right can end at any moment.
    ['cache-control', 'private, no-cache'],
    ['access-control-allow-origin', '*'],
    ['access-control-expose-headers', 'etag, accept-ranges, content-range, content-length, content-disposition'],
  ]);

/** The sandbox prevents scripts from running, whatever type a browser detects. */
export const CONTENT_HEADERS = createContentHeaders("default-src 'none'; sandbox; frame-ancestors 'self'");
/** Browsers do not display PDF in a sandbox; their viewers run no embedded scripts in our origin. */
export const PDF_HEADERS = createContentHeaders(
  "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'",
);

const createPageHeaders = (directives: Record<string, string[]>): BaseHeaders =>
  captureHeaders(
    helmet({
      contentSecurityPolicy: { useDefaults: false, directives },
      strictTransportSecurity: false,
      referrerPolicy: { policy: 'no-referrer' },
      xFrameOptions: { action: 'deny' },
    }),
  );

export const PAGE_HEADERS = createPageHeaders({
  defaultSrc: ["'self'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'", "'unsafe-inline'"],
  imgSrc: ["'self'", 'data:', 'blob:'],
  connectSrc: ["'self'"],
  manifestSrc: ["'self'"],
  workerSrc: ["'self'"],
  objectSrc: ["'none'"],
  baseUri: ["'none'"],
  formAction: ["'self'"],
  frameAncestors: ["'none'"],
});

/** The guide has no scripts, forms or external resources. */
export const DOCS_HEADERS: BaseHeaders = new Map([
  ...createPageHeaders({
    defaultSrc: ["'none'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
  }),
  // Revalidated each time, so that the new pages appear after an update of the program.
  ['cache-control', 'private, no-cache'],
]);

export const PREFLIGHT_HEADERS: BaseHeaders = new Map([
  ...API_HEADERS,
  ['access-control-allow-methods', 'GET, POST, PUT, DELETE, HEAD, OPTIONS'],
  [
    'access-control-allow-headers',
    [
      'content-type',
      'x-auth-token',
      'username',
      'password',
      'x-amz-server-side-encryption',
      'x-goog-server-side-encryption',
      'x-azure-server-side-encryption',
      'x-local-server-side-encryption',
    ].join(', '),
  ],
  ['access-control-max-age', '7200'],
]);
