import { afterAll, expect, it } from 'vitest';
import { silentLog } from '../server/platform/log.ts';
import { appSecretSchema, changedFactorSchema, secondFactorSchema } from '../server/wire/second-factor.ts';
import { codeAt, stepAt } from '../server/pda/identity/second-factor/methods/totp.ts';
import { tokenResponseSchema } from '../server/wire/owner.ts';
import { decodeBase32, SECOND_FACTOR_PATH, proof } from './support/second-factor.ts';
import type { OwnerClient } from './support/import-over-http.ts';
import { closeHomes, openHome } from './support/open-home.ts';
import { runInProcess } from './support/run-command.ts';
import { spawnServer, killProcesses, newHome, removeFolders } from './support/server-process.ts';
import { openPda, OWNER, type RunningPda } from './support/test-pda.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

let pda: RunningPda | undefined;
afterAll(async () => {
  await killProcesses();
  await closeHomes();
  await pda?.close();
  removeFolders();
});

const CREDENTIALS = { username: OWNER.name, password: encodeURIComponent(OWNER.password) };

it.skipIf(!IS_THOROUGH_RUN)(
  'the second factor survives a kill of the server, and can be turned off on the machine itself',
  async () => {
    const home = await newHome();
    let server: OwnerClient = await openHome(home);
    const signIn = async (extraHeaders: Record<string, string> = {}): Promise<{ status: number; token: string }> => {
      const reply = await server.call('GET', '/users/access_token', { headers: { ...CREDENTIALS, ...extraHeaders } });
      return {
        status: reply.status,
        token: reply.status === 200 ? tokenResponseSchema.parse(reply.json).accessToken : '',
      };
    };
    let { token } = await signIn();
    const post = (path: string, json: unknown) =>
      server.call('POST', `${SECOND_FACTOR_PATH}${path}`, { json, headers: { 'x-auth-token': token } });
    const { secret } = appSecretSchema.parse((await post('/app', proof())).json);
    // A restart discards an app that was not confirmed with a code.
    await closeHomes();
    const serverProcess = await spawnServer(home).ready;
    server = serverProcess;
    ({ token } = await signIn());
    expect((await post('/app/confirm', { code: codeAt(decodeBase32(secret), stepAt(Date.now())) })).status).toBe(409);
    const appSecret = appSecretSchema.parse((await post('/app', proof())).json);
    const bytes = decodeBase32(appSecret.secret);
    const step = stepAt(Date.now());
    const confirmReply = await post('/app/confirm', { code: codeAt(bytes, step) });
    const codes = changedFactorSchema.parse(confirmReply.json).recoveryCodes ?? [];
    const alwaysReply = await server.call('PUT', `${SECOND_FACTOR_PATH}/always`, {
      json: { always: true, ...proof() },
      headers: { 'x-auth-token': token },
    });
    expect(secondFactorSchema.parse(alwaysReply.json).always).toBe(true);
    expect((await signIn({ 'x-second-factor': codes[0] ?? '' })).status).toBe(200);
    expect((await signIn({ 'x-second-factor': codeAt(bytes, step + 1) })).status).toBe(200);
    await serverProcess.kill();
    // From here on, the server runs in the process of the test.
    pda = await openPda({ home, log: silentLog() }, () => undefined);
    server = pda;
    // Used codes are on the disk and stay used.
    expect((await signIn()).status).toBe(401);
    expect((await signIn({ 'x-second-factor': codes[0] ?? '' })).status).toBe(401);
    expect((await signIn({ 'x-second-factor': codeAt(bytes, step + 1) })).status).toBe(401);
    expect((await signIn({ 'x-second-factor': codes[1] ?? '' })).status).toBe(200);

    const attemptWhileRunning = await runInProcess(['second-factor', 'off', '--home', home]);
    expect([attemptWhileRunning.code, attemptWhileRunning.stderr]).toStrictEqual([
      1,
      expect.stringContaining('Stop it first, or use its dashboard'),
    ]);
    await pda.close();
    pda = undefined;
    const offResult = await runInProcess(['second-factor', 'off', '--home', home]);
    expect([offResult.code, offResult.stdout]).toStrictEqual([0, 'second factor is off; the password is enough\n']);
    const secondResult = await runInProcess(['second-factor', 'off', '--home', home]);
    expect([secondResult.code, secondResult.stdout]).toStrictEqual([0, 'second factor was already off\n']);
    // Signs in with the password alone.
    await (await openHome(home)).close();
  },
);
