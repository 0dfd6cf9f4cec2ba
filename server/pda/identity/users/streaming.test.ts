import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRequest } from '../../../../tests/support/http.ts';
import { startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import { addUser, signInAs } from '../../../../tests/support/users.ts';
import { createHttpApplication, type HttpServer } from '../../../platform/http/application.ts';
import { silentLog } from '../../../platform/log.ts';
import { anyToken } from '../../../platform/auth/principal.ts';
import { route } from '../../../platform/http/route.ts';

/* The test server sends an endless response. It authenticates requests as the PDA does. */

let pda: TestPda;
let userId: string;
let token: string;
let httpServer: HttpServer;
let port: number;
let sendNextChunk: () => void;

beforeEach(async () => {
  pda = await startTestPda();
  ({ userId } = await addUser(pda, 'Grace'));
  token = await signInAs(pda, 'Grace');
  let nextRequest = Promise.withResolvers<void>();
  sendNextChunk = () => nextRequest.resolve();
  async function* chunks(): AsyncGenerator<string> {
    for (let chunk = 0; ; chunk += 1) {
      yield `chunk ${chunk}\n`;
      await nextRequest.promise;
      nextRequest = Promise.withResolvers<void>();
    }
  }
  httpServer = createHttpApplication({
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
  ({ port } = await httpServer.listen({ port: 0, host: '127.0.0.1' }));
});
afterEach(async () => {
  await httpServer.close();
  await pda.close();
});

const startResponse = async (): Promise<IncomingMessage> => {
  const response = await openRequest(`http://127.0.0.1:${port}/long`, { headers: { 'x-auth-token': token } });
  return response.setEncoding('utf8');
};
const readChunk = async (response: IncomingMessage): Promise<string> => {
  const [text]: string[] = await once(response, 'data');
  return text ?? '';
};

describe('a long response to a user', () => {
  it('continues while the user has access', async () => {
    const response = await startResponse();
    expect([response.statusCode, await readChunk(response)]).toStrictEqual([200, 'chunk 0\n']);
    sendNextChunk();
    expect(await readChunk(response)).toBe('chunk 1\n');
    response.destroy();
    sendNextChunk();
  });

  it.each<[string, () => Promise<unknown>]>([
    ['disabled', () => pda.pda.users.disable(userId)],
    ['deleted', () => pda.pda.users.remove(userId)],
    ['given a different password', () => pda.pda.users.update(userId, { password: 'another meadow, further south' })],
  ])('is aborted before the next chunk if the user is %s', async (_, act) => {
    const response = await startResponse();
    expect(await readChunk(response)).toBe('chunk 0\n');
    await act();
    let laterData = '';
    response.on('data', (text: string) => (laterData += text));
    const failure = once(response, 'error');
    sendNextChunk();
    expect(await failure).toMatchObject([{ code: 'ECONNRESET' }]);
    expect(laterData).toBe('');
    expect((await startResponse()).statusCode).toBe(401);
  });
});
