import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { begin } from '../../../../tests/support/http.ts';
import { startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import { addUser, signInAs } from '../../../../tests/support/users.ts';
import { createHttpApplication, type HttpServer } from '../../../platform/http/application.ts';
import { silentLog } from '../../../platform/log.ts';
import { anyToken } from '../../../platform/auth/principal.ts';
import { route } from '../../../platform/http/route.ts';

/** An endless response to principals with a token, with the authentication of a real PDA. */

let pda: TestPda;
let userId: string;
let token: string;
let http: HttpServer;
let port: number;
/** Sends the next chunk. */
let next: () => void;

beforeEach(async () => {
  pda = await startTestPda();
  ({ userId } = await addUser(pda, 'Grace'));
  token = await signInAs(pda, 'Grace');
  let waiting = Promise.withResolvers<void>();
  next = () => waiting.resolve();
  async function* chunks(): AsyncGenerator<string> {
    for (let chunk = 0; ; chunk += 1) {
      yield `chunk ${chunk}\n`;
      await waiting.promise;
      waiting = Promise.withResolvers<void>();
    }
  }
  http = createHttpApplication({
    routes: [
      route({
        method: 'GET',
        path: '/long',
        tag: 'Test',
        summary: 'Endless',
        access: anyToken,
        responses: { 200: { description: 'Chunks', contentType: 'text/plain' } },
        handler: () => ({ status: 200, stream: chunks(), contentType: 'text/plain' }),
      }),
    ],
    log: silentLog(),
    authenticate: pda.pda.owner.authenticate,
    isOwnHost: () => true,
    isSetUp: () => true,
  });
  ({ port } = await http.listen({ port: 0, host: '127.0.0.1' }));
});
afterEach(async () => {
  await http.close();
  await pda.close();
});

const get = async (): Promise<IncomingMessage> => {
  const response = await begin(`http://127.0.0.1:${port}/long`, { headers: { 'x-auth-token': token } });
  return response.setEncoding('utf8');
};
const nextChunk = async (response: IncomingMessage): Promise<string> => {
  const [text]: string[] = await once(response, 'data');
  return text ?? '';
};

describe('a long response to a user', () => {
  it('continues while the user has access', async () => {
    const response = await get();
    expect([response.statusCode, await nextChunk(response)]).toStrictEqual([200, 'chunk 0\n']);
    next();
    expect(await nextChunk(response)).toBe('chunk 1\n');
    response.destroy();
    next();
  });

  it.each<[string, () => Promise<unknown>]>([
    ['disabled', () => pda.pda.users.disable(userId)],
    ['deleted', () => pda.pda.users.remove(userId)],
    ['given another password', () => pda.pda.users.update(userId, { password: 'another meadow, further south' })],
  ])('is aborted before the next chunk if the user is %s', async (_, act) => {
    const response = await get();
    expect(await nextChunk(response)).toBe('chunk 0\n');
    await act();
    let rest = '';
    response.on('data', (text: string) => (rest += text));
    const broken = once(response, 'error');
    next();
    expect(await broken).toMatchObject([{ code: 'ECONNRESET' }]);
    expect(rest).toBe('');
    expect((await get()).statusCode).toBe(401);
  });
});
