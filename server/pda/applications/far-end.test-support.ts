import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The service behind an application, somewhere else: answers as the test says, and remembers who asked. */
export type FarEnd = {
  url: string;
  /** Tokens it was called with, in order. */
  tokens: string[];
  /** Status by path; `hang` never answers, a function answers for itself. */
  answers: Map<string, number | 'hang' | ((request: IncomingMessage, response: ServerResponse) => void)>;
  close(): Promise<void>;
};

export const startFarEnd = async (): Promise<FarEnd> => {
  const tokens: string[] = [];
  const answers: FarEnd['answers'] = new Map();
  const server = createServer((request, response) => {
    tokens.push(String(request.headers['x-auth-token'] ?? ''));
    const answer = answers.get(request.url ?? '') ?? 200;
    if (answer === 'hang') return;
    if (typeof answer === 'function') answer(request, response);
    else response.writeHead(answer).end();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    tokens,
    answers,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
