import helmet from 'helmet';
import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * helmet decides the headers; they are the same for each answer of a kind, so it is asked once and the result is kept as the
 * flat list that `writeHead` takes. Setting a dozen headers one by one on each answer costs more than the routing.
 */
const capture = (
  middleware: (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void,
): string[] => {
  const flat: string[] = [];
  const response = {
    setHeader: (name: string, value: string) => flat.push(name.toLowerCase(), value),
    removeHeader: () => undefined,
  };
  // helmet only ever calls these two methods; a real response would need a socket
  middleware({} as IncomingMessage, response as unknown as ServerResponse, (error) => {
    if (error !== undefined) throw error;
  });
  return flat;
};

/** Answers of the interface: data, never a page. Any origin may read them, since nothing rides on cookies. */
export const API_HEADERS: readonly string[] = [
  ...capture(
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
  'cache-control',
  'no-store',
  'access-control-allow-origin',
  '*',
  'access-control-expose-headers',
  'x-auth-token, retry-after',
];

const contentHeaders = (policy: string): readonly string[] => [
  'content-security-policy',
  policy,
  'x-content-type-options',
  'nosniff',
  'x-frame-options',
  'SAMEORIGIN',
  'referrer-policy',
  'no-referrer',
  'cross-origin-resource-policy',
  'cross-origin',
  'cache-control',
  // Kept by the browser that has it, and asked for again: a right can end at any time.
  'private, no-cache',
  'access-control-allow-origin',
  '*',
  'access-control-expose-headers',
  'etag, accept-ranges, content-range, content-length, content-disposition',
];

/** Content of files, which anybody may have made: whatever a browser takes it for, it can do nothing. */
export const CONTENT_HEADERS = contentHeaders("default-src 'none'; sandbox; frame-ancestors 'self'");
/** Browsers show no PDF within a sandbox; their viewers run nothing that is in it in our name. */
export const PDF_HEADERS = contentHeaders(
  "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'",
);

/** The dashboard's pages and files. */
export const PAGE_HEADERS: readonly string[] = capture(
  helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", 'data:', 'blob:'],
        connectSrc: ["'self'"],
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    strictTransportSecurity: false,
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'deny' },
  }),
);

/** The guide: pages that we made ourselves, which need no script, no form and nothing from elsewhere. */
export const DOCS_HEADERS: readonly string[] = [
  ...capture(
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
          defaultSrc: ["'none'"],
          styleSrc: ["'self'"],
          imgSrc: ["'self'"],
          baseUri: ["'none'"],
          formAction: ["'none'"],
          frameAncestors: ["'none'"],
        },
      },
      strictTransportSecurity: false,
      referrerPolicy: { policy: 'no-referrer' },
      xFrameOptions: { action: 'deny' },
    }),
  ),
  'cache-control',
  // Of one version: after an update the pages are others.
  'private, no-cache',
];

export const PREFLIGHT_HEADERS: readonly string[] = [
  ...API_HEADERS,
  'access-control-allow-methods',
  'GET, POST, PUT, DELETE, HEAD, OPTIONS',
  'access-control-allow-headers',
  'content-type, x-auth-token, username, password, x-amz-server-side-encryption, x-goog-server-side-encryption, x-azure-server-side-encryption, x-local-server-side-encryption',
  'access-control-max-age',
  '7200',
];
