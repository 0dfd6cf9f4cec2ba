import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * One port for all of them: who is meant is said by the name. Names below `localhost` lead to this machine (RFC 6761), so a PDA is found as it would be
 * on the internet, by `<name>.<domain>`.
 */
export type Front = {
  readonly port: number;
  /** `<name>.localhost` leads to this port from now on. */
  lead(name: string, port: number): void;
  close(): Promise<void>;
};

/** Headers of one line, which say nothing about the other one. */
const OF_ONE_LINE = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade']);

const withoutLine = (headers: IncomingMessage['headers']): IncomingMessage['headers'] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_ONE_LINE.has(name)));

export const startFront = async (wanted: number): Promise<Front> => {
  const ports = new Map<string, number>();
  const agent = new Agent({ keepAlive: true });

  const refuse = (response: ServerResponse, status: number, words: string): void => {
    if (response.headersSent) response.destroy();
    else response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(`${words}\n`);
  };

  const forward = (incoming: IncomingMessage, response: ServerResponse): void => {
    const name = /^([a-z0-9-]+)\.localhost(?::\d+)?$/iu.exec(incoming.headers.host ?? '')?.[1]?.toLowerCase() ?? '';
    const port = ports.get(name);
    if (port === undefined) {
      const known = [...ports.keys()].map((one) => `${one}.localhost`).join(', ');
      refuse(response, 421, `Nobody here has this name. There are: ${known}.`);
      return;
    }
    const { method, url: path } = incoming;
    const chunked = incoming.headers['transfer-encoding'] === undefined ? {} : { 'transfer-encoding': 'chunked' };
    const headers = { ...withoutLine(incoming.headers), ...chunked };
    const outgoing = request({ host: '127.0.0.1', port, agent, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, withoutLine(answer.headers));
      // Whichever end breaks off, the other one does: half an answer must not look like a whole one.
      answer.on('error', () => response.destroy());
      answer.pipe(response);
    });
    outgoing.on('error', () => refuse(response, 502, `${name} does not answer.`));
    incoming.on('error', () => outgoing.destroy());
    response.on('close', () => {
      if (!response.writableFinished) outgoing.destroy();
    });
    incoming.pipe(outgoing);
  };

  const server = createServer(forward);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(wanted, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    lead: (name, port) => void ports.set(name, port),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        agent.destroy();
      }),
  };
};
