import { lookup } from 'node:dns/promises';
import { fileURLToPath } from 'node:url';
import { createLog } from '../../server/platform/log.ts';
import type { Resolver } from '../../server/platform/outbound/dns-lookup.ts';
import { createPda, type Pda } from '../../server/pda/pda.ts';

// A process that hosts the PDAs of one test worker, each with its own home and address. It is shared because warming
// up a process takes longer than most tests.

interface OpenRequest {
  id: number;
  home: string;
  port: number;
}

export type HostRequest = { open: OpenRequest } | { close: number };
export type HostResponse = { id: number } & (
  | { url: string; setupUrl: string | undefined }
  | { closed: true }
  | { problem: string }
);

const pathOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const PAGES_FOLDER = pathOf('renderer/dashboard/dist');
const DOCS_FOLDER = pathOf('dist/docs');

/** Test relays have names in the reserved domain `test` (RFC 6761) and run on this machine. */
const resolve: Resolver = async (host) =>
  host.endsWith('.test') ? [{ address: '127.0.0.1', family: 4 }] : lookup(host, { all: true });

const sendResponse = (response: HostResponse): void => void process.send?.(response);
const closeById = new Map<number, () => Promise<void>>();

/**
 * Serves a home like the command `serve`: restarts at the same address after everything was erased, a backup was
 * restored or an account was imported.
 */
async function serve({ id, home, port: requestedPort }: OpenRequest): Promise<void> {
  let port = requestedPort;
  const { promise: ended, resolve: end } = Promise.withResolvers<'end'>();
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  closeById.set(id, () => {
    end('end');
    return closed;
  });
  for (let isFirst = true; ; isFirst = false) {
    const { promise: erased, resolve: erase } = Promise.withResolvers<'again'>();
    const pda: Pda = await createPda({
      home,
      log: createLog(),
      pages: PAGES_FOLDER,
      docs: DOCS_FOLDER,
      network: { resolve },
      onEraseEverything: () => erase('again'),
    });
    const replaced = pda.whenHomeReplaced.then(() => 'again' as const);
    try {
      const { url } = await pda.listen(port);
      port = Number(new URL(url).port);
      const code = pda.owner.setupCode();
      if (isFirst) sendResponse({ id, url, setupUrl: code === undefined ? undefined : `${url}/#/setup?code=${code}` });
      if ((await Promise.race([ended, erased, replaced])) === 'end') break;
    } finally {
      await pda.close();
    }
  }
  close();
}

const reportFailure = (id: number, work: Promise<void>): void => {
  work.catch((error: unknown) =>
    sendResponse({ id, problem: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
};

process.on('message', (request: HostRequest) => {
  if ('open' in request) return reportFailure(request.open.id, serve(request.open));
  const id = request.close;
  const closeServer = closeById.get(id);
  closeById.delete(id);
  return reportFailure(
    id,
    (closeServer?.() ?? Promise.resolve()).then(() => sendResponse({ id, closed: true })),
  );
});
process.on('disconnect', () => process.exit(0));
