import type { IncomingMessage, ServerResponse } from 'node:http';
import { serve } from '../../../tests/support/http.ts';

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
  const { url, close } = await serve((request, response) => {
    tokens.push(String(request.headers['x-auth-token'] ?? ''));
    const answer = answers.get(request.url ?? '') ?? 200;
    if (answer === 'hang') return;
    if (typeof answer === 'function') answer(request, response);
    else response.writeHead(answer).end();
  });
  return { url, tokens, answers, close };
};
