import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { errorOf, startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import { addUser, signInAs, trySignIn } from '../../../../tests/support/users.ts';
import { ledgerDaySchema } from '../../../wire/ledger.ts';
import { rowsOf } from '../../sharing/access-log/recording/access-recorder.test-support.ts';

const SOURCES_PATH = '/api/v2.6/data/sources';

let pda: TestPda;
let userId: string;
let token: string;
beforeAll(async () => {
  pda = await startTestPda();
});
afterAll(() => pda.close());

// Each test has its own user.
beforeEach(async () => {
  for (const user of pda.pda.users.list()) await pda.call('PUT', `/users/user/${user.userId}/delete`);
  ({ userId } = await addUser(pda, 'Grace'));
  token = await signInAs(pda, 'Grace');
});

const grace = () => ({ kind: 'user', name: userId, person: 'Grace' });
const rename = (name: string) => pda.call('PUT', `/users/user/${userId}/update`, { json: { name } });

describe('the access log of a user', () => {
  it('contains sign-in, requests and sign-out, each once, with the name and without a consent', async () => {
    await pda.call('GET', '/users/access_token/validate', { token });
    await pda.call('DELETE', '/users/access_token', { token });
    const rows = await rowsOf(pda, `user=${userId}`);
    const row = { who: grace(), outcome: 'allowed', status: 200, consent: null, address: '127.0.0.1' };
    expect(rows).toMatchObject([
      { ...row, action: 'DELETE /users/access_token' },
      { ...row, action: 'GET /users/access_token/validate' },
      { ...row, action: 'sign-in' },
    ]);
    expect((await rowsOf(pda)).filter(({ who }) => who.kind === 'owner').map(({ action }) => action)).not.toContain(
      'sign-out',
    );
  });

  it('contains and counts refused requests', async () => {
    for (let attempt = 0; attempt < 3; attempt += 1)
      expect((await pda.call('GET', SOURCES_PATH, { token })).status).toBe(403);
    const refusedRows = await rowsOf(pda, `user=${userId}&outcome=refused`);
    expect(refusedRows).toMatchObject([
      { who: grace(), action: `GET ${SOURCES_PATH}`, status: 403, reason: 'forbidden', count: 3 },
    ]);
  });

  it('does not contain failed sign-ins, which are anonymous because the name is not proven', async () => {
    // Attempts within an hour share a row, which must not contain attempts of the previous test.
    pda.clock.advance(3_600_000);
    await trySignIn(pda, 'Grace', 'wrong');
    await pda.call('PUT', `/users/user/${userId}/disable`);
    await trySignIn(pda, 'Grace');
    const [row] = await rowsOf(pda, 'outcome=refused');
    expect(row).toMatchObject({ who: { kind: 'visitor', name: '' }, action: 'sign-in', status: 401, count: 2 });
    expect(row?.who.person).toBeUndefined();
    expect(await rowsOf(pda, `user=${userId}`)).toHaveLength(1);
  });

  it('contains the name at the time of each request, and is found by the id', async () => {
    await rename('Hopper');
    await pda.call('GET', SOURCES_PATH, { token });
    const rows = await rowsOf(pda, `user=${userId}`);
    expect(rows.map(({ who }) => who)).toStrictEqual([{ ...grace(), person: 'Hopper' }, grace()]);
  });

  it('is retained after a deletion and a restart, separate from the log of a new user with the same name', async () => {
    await pda.call('GET', SOURCES_PATH, { token });
    await pda.call('PUT', `/users/user/${userId}/delete`);
    const newUser = await addUser(pda, 'Grace');
    await signInAs(pda, 'Grace');
    await pda.restart();
    expect((await rowsOf(pda, `user=${userId}`)).map(({ who }) => who)).toStrictEqual([grace(), grace()]);
    expect((await rowsOf(pda, `user=${newUser.userId}`)).map(({ who }) => who)).toStrictEqual([
      { ...grace(), name: newUser.userId },
    ]);
  });

  it('is summarised per day with the latest name', async () => {
    await pda.call('GET', SOURCES_PATH, { token });
    await rename('Hopper');
    await pda.call('GET', '/users/access_token/validate', { token });
    const reply = await pda.call('GET', '/api/v2.6/owner/ledger-days?days=1');
    const days = ledgerDaySchema.array().parse(reply.json);
    expect(days.filter(({ who }) => who.name === userId)).toMatchObject([
      { who: { kind: 'user', name: userId, person: 'Hopper' }, calls: 3, refused: 1, records: 0 },
    ]);
  });

  it('is found only by the id', async () => {
    expect(errorOf(await pda.call('GET', '/api/v2.6/owner/ledger?user=Grace')).error).toBe('invalid_input');
    expect(await rowsOf(pda, 'user=00000000-0000-4000-8000-000000000000')).toStrictEqual([]);
  });
});
