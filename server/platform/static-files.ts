import { createReadStream, existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { extname, join, resolve, sep } from 'node:path';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { PAGE_HEADERS } from './security-headers.ts';

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
};

export type StaticFiles = {
  /** Answers a GET or HEAD with the file of that path, or with the page for every path that is no file. */
  serve(request: IncomingMessage, response: ServerResponse, path: string): Promise<void>;
};

/** Serves the built dashboard. Files under `assets/` carry a hash in their name and may be kept for ever; the page may not. */
export const createStaticFiles = (root: string): StaticFiles => {
  const base = resolve(root);

  const locate = async (path: string): Promise<string | undefined> => {
    if (path.includes('\0')) return undefined;
    const file = join(base, path);
    // Whatever dots and slashes the path holds, the file lies below the root or is not served.
    if (!file.startsWith(base + sep) || TYPES[extname(file)] === undefined) return undefined;
    const found = await stat(file).catch(() => undefined);
    return found?.isFile() === true ? file : undefined;
  };

  return {
    async serve(request, response, path) {
      const file = (await locate(path)) ?? join(base, 'index.html');
      if (!existsSync(file)) {
        const text = 'The dashboard has not been built. Run: npm run build\n';
        response.writeHead(404, [
          ...PAGE_HEADERS,
          'content-type',
          'text/plain; charset=utf-8',
          'content-length',
          String(text.length),
        ]);
        response.end(text);
        return;
      }
      const page = file.endsWith('.html');
      const lasting = path.startsWith('/assets/') && !page;
      const { size } = await stat(file);
      response.writeHead(200, [
        ...PAGE_HEADERS,
        'content-type',
        TYPES[extname(file)] ?? 'application/octet-stream',
        'content-length',
        String(size),
        'cache-control',
        // The page's address may name who asks the owner to sign in: no cache on the way is to keep it.
        page ? 'no-store' : lasting ? 'public, max-age=31536000, immutable' : 'no-cache',
      ]);
      if (request.method === 'HEAD') response.end();
      else await pipeline(createReadStream(file), response);
    },
  };
};
