import {
  Agent,
  createServer,
  request,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type RequestOptions,
  type Server,
  type ServerResponse,
} from 'node:http';
import { connect, type AddressInfo } from 'node:net';

export type Reply = {
  status: number;
  headers: IncomingHttpHeaders;
  /** Names and values alternate; repeated headers are kept. */
  rawHeaders: string[];
  body: Buffer;
  text: string;
  /** The body parsed as JSON; undefined if it is not JSON. */
  json: unknown;
};

export type Call = {
  headers?: Record<string, string | string[]>;
  /** Sent as JSON, with its content type. */
  json?: unknown;
  /** Sent unchanged. The content type is JSON unless `headers` contains one. */
  body?: string | Buffer;
  /** Sent in chunks without a content length. */
  chunks?: Iterable<Buffer>;
  /** Sent as `x-auth-token`. `null` sends no token; undefined sends the default of the caller. */
  token?: string | null | undefined;
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Sends one request to this machine and follows no redirects. Sends a token only if `call` has one. */
export const send = (port: number, agent: Agent, method: string, path: string, call: Call): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const body = call.json === undefined ? call.body : JSON.stringify(call.json);
    const headers: Record<string, string | string[]> = { ...call.headers };
    if (call.token !== undefined && call.token !== null && call.token !== '') headers['x-auth-token'] ??= call.token;
    if ((body !== undefined || call.chunks !== undefined) && headers['content-type'] === undefined) {
      headers['content-type'] = 'application/json';
    }
    if (body !== undefined) headers['content-length'] ??= String(Buffer.byteLength(body));
    const clientRequest = request({ host: '127.0.0.1', port, agent, method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const bytes = Buffer.concat(chunks);
        const text = bytes.toString();
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          rawHeaders: response.rawHeaders,
          body: bytes,
          text,
          json: parseJson(text),
        });
      });
    });
    clientRequest.on('error', reject);
    for (const chunk of call.chunks ?? []) clientRequest.write(chunk);
    clientRequest.end(body);
  });

/** Sends a request and resolves when the response headers arrive. The body is read on demand. */
export const openRequest = (url: string, options: RequestOptions, body?: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    request(url, options, resolve).on('error', reject).end(body);
  });

export type ThirdPartyServer = { url: string; server: Server; close(): Promise<void> };

/** Starts a third-party server, on a free port of this machine by default. */
export const serve = async (listener: RequestListener, port = 0): Promise<ThirdPartyServer> => {
  const server = createServer(listener);
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

/** Writes bytes to the port. @returns everything received until the connection was closed */
export const sendRaw = (port: number, bytes: string | Buffer, options: { hangUp?: boolean } = {}): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
    socket.write(bytes, () => {
      if (options.hangUp === true) socket.destroy();
    });
  });

/** Parses the first response in raw text. `head` is its status line and headers in lower case. */
export const parseRaw = (text: string): { status: number; head: string; json: unknown } => {
  const [head = '', body = ''] = text.split('\r\n\r\n', 2);
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/u.exec(head)?.[1] ?? 0),
    head: head.toLowerCase(),
    json: parseJson(body),
  };
};

/** Sends a response with a JSON body. */
export const respondJson = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};
