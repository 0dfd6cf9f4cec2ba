import type { IncomingMessage, ServerResponse } from 'node:http';
import { serve } from '../../../../../tests/support/http.ts';

export type FakeService = {
  url: string;
  tokens: string[];
  /** Response by path: a status, `hang` for no response, or a handler. Default: 200. */
  responses: Map<string, number | 'hang' | ((request: IncomingMessage, response: ServerResponse) => void)>;
  /** Number of requests without a response. */
  pendingCount(): number;
  close(): Promise<void>;
};

export const startFakeService = async (): Promise<FakeService> => {
  const tokens: string[] = [];
  const responses: FakeService['responses'] = new Map();
  let pendingCount = 0;
  const { url, close } = await serve((request, response) => {
    tokens.push(String(request.headers['x-auth-token'] ?? ''));
    const configuredResponse = responses.get(request.url ?? '') ?? 200;
    if (configuredResponse === 'hang') {
      pendingCount += 1;
      response.once('close', () => (pendingCount -= 1));
      return;
    }
    if (typeof configuredResponse === 'function') configuredResponse(request, response);
    else response.writeHead(configuredResponse).end();
  });
  return { url, tokens, responses, pendingCount: () => pendingCount, close };
};
