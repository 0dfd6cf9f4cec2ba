import type { IncomingMessage, ServerResponse } from 'node:http';
import { serve } from '../../../../../tests/support/http.ts';

/** The service behind an application, somewhere else: answers as the test says, and remembers who asked. */
export type FarEnd = {
  url: string;
  /** Tokens it was called with, in order. */
  tokens: string[];
  /** Status by path; `hang` never answers, a function answers for itself. */
  answers: Map<string, number | 'hang' | ((request: IncomingMessage, response: ServerResponse) => void)>;
  /** Requests that hang right now. */
  hanging(): number;
  /** The highest number of requests that hung at the same time. */
  mostHanging(): number;
  close(): Promise<void>;
};

export const startFarEnd = async (): Promise<FarEnd> => {
  const tokens: string[] = [];
  const answers: FarEnd['answers'] = new Map();
  let hanging = 0;
  let mostHanging = 0;
  const { url, close } = await serve((request, response) => {
    tokens.push(String(request.headers['x-auth-token'] ?? ''));
    const answer = answers.get(request.url ?? '') ?? 200;
    if (answer === 'hang') {
      hanging += 1;
      mostHanging = Math.max(mostHanging, hanging);
      response.once('close', () => (hanging -= 1));
      return;
    }
    if (typeof answer === 'function') answer(request, response);
    else response.writeHead(answer).end();
  });
  return { url, tokens, answers, hanging: () => hanging, mostHanging: () => mostHanging, close };
};
