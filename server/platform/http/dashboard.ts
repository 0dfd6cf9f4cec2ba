import { extname } from 'node:path';
import { send } from '@koa/send';
import { PAGE_HEADERS } from './response/security-headers.ts';
import type { HttpContext } from './context.ts';
import { setBaseHeaders } from './response/writer.ts';

/** Files with other extensions are not served. */
const SERVED_EXTENSIONS = new Set(['.html', '.js', '.css', '.json', '.svg', '.png', '.ico', '.woff2', '.webmanifest']);
const PAGE = '/index.html';
const NOT_BUILT_MESSAGE = 'The dashboard has not been built. Run: npm run build\n';

/**
 * Sends a file, or the `.br` or `.gz` file next to it if the browser accepts that. Resolves with false if there is
 * nothing to serve.
 */
const sendFile = async (ctx: HttpContext, root: string, path: string): Promise<boolean> => {
  if (!SERVED_EXTENSIONS.has(extname(path))) return false;
  const isPage = path.endsWith('.html');
  const isHashed = path.startsWith('/assets/') && !isPage;
  // The URL of a page can name the application that asks the owner to sign in, so no cache may store the page.
  ctx.set('cache-control', isPage ? 'no-store' : isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
  const sentPath = await send(ctx as never, path, {
    root,
    setHeaders(_, __, { size, mtimeMs }) {
      if (!isPage) ctx.etag = `W/"${size.toString(16)}-${Math.floor(mtimeMs).toString(16)}"`;
    },
  }).catch((error: { status?: number }) => {
    // The file does not exist, or the path leaves the folder.
    if (error.status === undefined || error.status >= 500) throw error;
    return undefined;
  });
  if (sentPath === undefined) {
    for (const name of ['content-encoding', 'cache-control']) ctx.remove(name);
    return false;
  }
  ctx.vary('Accept-Encoding');
  if (ctx.fresh) ctx.status = 304;
  return true;
};

/** Sends a file of the build, or `index.html` for every other path; 404 if the dashboard was not built. */
export const serveDashboard = async (ctx: HttpContext, root: string): Promise<void> => {
  setBaseHeaders(ctx, PAGE_HEADERS);
  ctx.status = 200;
  if ((await sendFile(ctx, root, ctx.state.path)) || (await sendFile(ctx, root, PAGE))) return;
  ctx.status = 404;
  ctx.body = NOT_BUILT_MESSAGE;
};
