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

/** A long answer to anybody with a token, behind the sign-in of a real PDA. */

let pda: TestPda;
let userId: string;
let token: string;
let http: HttpServer;
let port: number;
/** Lets the next piece out. */
let next: () => void;

beforeEach(async () => {
  pda = await startTestPda();
  ({ userId } = await addUser(pda, 'Grace'));
  token = await signInAs(pda, 'Grace');
  let waiting = Promise.withResolvers<void>();
  next = () => waiting.resolve();
  async function* pieces(): AsyncGenerator<string> {
    for (let piece = 0; ; piece += 1) {
      yield `piece ${piece}\n`;
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
        summary: 'Without end',
        access: anyToken,
        responses: { 200: { description: 'Pieces', contentType: 'text/plain' } },
        handler: () => ({ status: 200, stream: pieces(), contentType: 'text/plain' }),
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
  const answer = await begin(`http://127.0.0.1:${port}/long`, { headers: { 'x-auth-token': token } });
  return answer.setEncoding('utf8');
};
const piece = async (answer: IncomingMessage): Promise<string> => {
  const [text]: string[] = await once(answer, 'data');
  return text ?? '';
};

describe('a long answer to a person', () => {
  it('goes on for as long as they may have it', async () => {
    const answer = await get();
    expect([answer.statusCode, await piece(answer)]).toStrictEqual([200, 'piece 0\n']);
    next();
    expect(await piece(answer)).toBe('piece 1\n');
    answer.destroy();
    next();
  });

  it.each<[string, () => Promise<unknown>]>([
    ['disabled', () => pda.pda.users.disable(userId)],
    ['deleted', () => pda.pda.users.remove(userId)],
    ['given another password', () => pda.pda.users.update(userId, { password: 'another meadow, further south' })],
  ])('breaks off before the next piece once they are %s', async (_, act) => {
    const answer = await get();
    expect(await piece(answer)).toBe('piece 0\n');
    await act();
    let more = '';
    answer.on('data', (text: string) => (more += text));
    const broken = once(answer, 'error');
    next();
    expect(await broken).toMatchObject([{ code: 'ECONNRESET' }]);
    expect(more).toBe('');
    expect((await get()).statusCode).toBe(401);
  });
});
