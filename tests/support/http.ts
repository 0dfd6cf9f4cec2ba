import {
  Agent,
  createServer,
  request,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type RequestOptions,
  type Server,
} from 'node:http';
import { connect, type AddressInfo } from 'node:net';

/** An answer as it came over the wire. */
export type Reply = {
  status: number;
  headers: IncomingHttpHeaders;
  /** Names and values one after the other, repeated ones kept. */
  rawHeaders: string[];
  body: Buffer;
  text: string;
  /** The body as JSON; undefined when it is none. */
  json: unknown;
};

export type Call = {
  headers?: Record<string, string | string[]>;
  /** Sent as JSON, with the content type that says so. */
  json?: unknown;
  /** Sent as it is; the content type is JSON unless `headers` has another. */
  body?: string | Buffer;
  /** Sent without a length, piece by piece. */
  chunks?: Iterable<Buffer>;
  /** `null`: none. Left out: the owner's. */
  token?: string | null;
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** One request through node:http, sent unchanged and without following redirects. */
export const send = (port: number, agent: Agent, method: string, path: string, call: Call): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const body = call.json === undefined ? call.body : JSON.stringify(call.json);
    const headers: Record<string, string | string[]> = { ...call.headers };
    if ((body !== undefined || call.chunks !== undefined) && headers['content-type'] === undefined) {
      headers['content-type'] = 'application/json';
    }
    if (body !== undefined) headers['content-length'] ??= String(Buffer.byteLength(body));
    const outgoing = request({ host: '127.0.0.1', port, agent, method, path, headers }, (incoming) => {
      const parts: Buffer[] = [];
      incoming.on('data', (part: Buffer) => parts.push(part));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const bytes = Buffer.concat(parts);
        const text = bytes.toString();
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          rawHeaders: incoming.rawHeaders,
          body: bytes,
          text,
          json: parsed(text),
        });
      });
    });
    outgoing.on('error', reject);
    for (const chunk of call.chunks ?? []) outgoing.write(chunk);
    outgoing.end(body);
  });

/** Calls to a server, with the token where it looks for one. */
export const callsTo =
  (port: number, agent: Agent, tokenHeader: (token: string) => Record<string, string>) =>
  (method: string, path: string, { token, headers, ...rest }: Call = {}): Promise<Reply> =>
    send(port, agent, method, path, {
      ...rest,
      headers: { ...(token === undefined || token === null ? {} : tokenHeader(token)), ...headers },
    });

/** Asks, and reads no further than the head of the answer: the rest comes when it is asked for. */
export const begin = (url: string, options: RequestOptions, body?: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    request(url, options, resolve).on('error', reject).end(body);
  });

export type FarServer = { url: string; server: Server; close(): Promise<void> };

/** A third-party server, at a free port of this machine by default. */
export const serve = async (answer: RequestListener, port = 0): Promise<FarServer> => {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

/** Writes bytes to the port and gives back all that came until the other side closed the line. */
export const sendRaw = (port: number, bytes: string | Buffer, options: { hangUp?: boolean } = {}): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const parts: Buffer[] = [];
    socket.on('data', (part) => parts.push(part));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(parts).toString('latin1')));
    socket.write(bytes, () => {
      if (options.hangUp === true) socket.destroy();
    });
  });

/** The status line, headers and body of the first answer in raw text. */
export const parseRaw = (text: string): { status: number; head: string; json: unknown } => {
  const [head = '', body = ''] = text.split('\r\n\r\n', 2);
  return { status: Number(/^HTTP\/1\.1 (\d{3})/u.exec(head)?.[1] ?? 0), head: head.toLowerCase(), json: parsed(body) };
};
