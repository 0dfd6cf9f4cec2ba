import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { packagedInstallation, entryPointOf, serverCommand, type Installation } from '../main/server/installation.ts';
import { createServerProcess, type ServerState } from '../main/server/process.ts';
import { en } from '../main/texts/en.ts';
import { isObject } from '../server/wire/values.ts';

/** `readyMs`: for each start, the time until the server announced its address. */
export type SmokeTestResult = {
  readonly readyMs: readonly number[];
  readonly passedSteps: readonly string[];
  readonly failures: readonly string[];
};

/** Time limit of a step. Even on a slow machine, only a program that hangs reaches it. */
const STEP_TIMEOUT_MS = 120_000;
const OWNER = { name: 'trial', password: 'correct horse battery staple' };

/**
 * Tests the staged server as in an installed app: with the bundled Node, no programs on the PATH and a new home.
 * @param resources folder with `pda/`, outside of the project, so that Node cannot find the project's packages
 * @param functionFolder the function template (examples/functions/template)
 * @param starts number of server starts; the API is tested only after the last one
 */
export async function smokeTestStagedServer(
  resources: string,
  functionFolder: string,
  starts = 3,
): Promise<SmokeTestResult> {
  const installation = packagedInstallation(resources, process.platform);
  const home = join(resources, 'home');
  const env = cleanEnvironment(resources);
  const passedSteps: string[] = [];
  const failures: string[] = [];
  const readyMs: number[] = [];

  for (const [description, input, ...args] of [
    ['creates a PDA', OWNER.password, 'init', '--home', home, '--name', OWNER.name, '--password-stdin'],
    ['installs a function', '', 'function', 'install', '--home', home, functionFolder],
  ] as const) {
    const failure = await runCommand(installation, args, env, input);
    if (failure !== null) return { readyMs, passedSteps, failures: [`failed: ${description} (${failure})`] };
    passedSteps.push(description);
  }

  for (let start = 1; start <= starts; start += 1) {
    const server = createServerProcess({
      texts: en,
      command: serverCommand(installation, home, env),
      limits: { startMs: STEP_TIMEOUT_MS, stopMs: STEP_TIMEOUT_MS, maxQuickCrashes: 1 },
    });
    try {
      const startedAt = performance.now();
      const state = await startServer(server);
      if (state.kind !== 'running')
        return {
          readyMs,
          passedSteps,
          failures: [...failures, `the server did not start: ${[state.reason, ...state.lastLines].join('\n')}`],
        };
      readyMs.push(performance.now() - startedAt);
      if (start === starts) {
        const apiTest = await exerciseServer(
          state.address,
          existsSync(join(installation.root, 'renderer/dashboard/dist')),
        );
        passedSteps.push(...apiTest.passedSteps);
        failures.push(...apiTest.failures);
      }
      const stop = await server.stop();
      if (stop.kind !== 'clean') failures.push(`the server did not shut down cleanly (${stop.kind})`);
    } finally {
      await server.close();
    }
  }
  if (failures.length === 0) passedSteps.push('shuts down cleanly');
  return { readyMs, passedSteps, failures };
}

function cleanEnvironment(folder: string): Record<string, string | undefined> {
  const userFolder = join(folder, 'elsewhere');
  mkdirSync(userFolder, { recursive: true });
  return {
    PATH: join(userFolder, 'missing'),
    HOME: userFolder,
    PDA_CODE_CACHE: join(folder, 'code'),
    ...(process.platform === 'win32'
      ? { SystemRoot: process.env['SystemRoot'], LOCALAPPDATA: userFolder, APPDATA: userFolder }
      : {}),
  };
}

function runCommand(
  installation: Installation,
  args: readonly string[],
  env: Record<string, string | undefined>,
  input: string,
): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const child = execFile(
    installation.node,
    [entryPointOf(installation), ...args],
    { cwd: installation.root, env, timeout: STEP_TIMEOUT_MS },
    (error, _stdout, stderr) => resolve(error === null ? null : stderr.trim() || error.message),
  );
  child.stdin?.on('error', () => {
    // The process ended before it read its input. The exit code reports the failure.
  });
  child.stdin?.end(input);
  return promise;
}

async function exerciseServer(address: string, hasDashboard: boolean): Promise<Omit<SmokeTestResult, 'readyMs'>> {
  const passedSteps: string[] = [];
  const failures: string[] = [];
  let token = '';
  const callApi = async (
    method: string,
    path: string,
    options: { headers?: Record<string, string>; body?: unknown } = {},
  ) => {
    const response = await fetch(`${address}${path}`, {
      method,
      headers: {
        ...(token === '' ? {} : { 'x-auth-token': token }),
        ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
      signal: AbortSignal.timeout(STEP_TIMEOUT_MS),
    });
    const text = await response.text();
    const json: unknown = response.headers.get('content-type')?.includes('json') === true ? JSON.parse(text) : null;
    return { status: response.status, json };
  };
  const expectStatus = (check: string, status: number, expected: number): void => {
    if (status === expected) passedSteps.push(check);
    else failures.push(`failed: ${check} (status ${status})`);
  };

  expectStatus('responds to /healthz', (await callApi('GET', '/healthz')).status, 200);
  if (hasDashboard) expectStatus('shows the dashboard', (await callApi('GET', '/')).status, 200);
  expectStatus('serves its API description', (await callApi('GET', '/api/v2.6/openapi.json')).status, 200);
  const signIn = await callApi('GET', '/users/access_token', {
    headers: { username: OWNER.name, password: encodeURIComponent(OWNER.password) },
  });
  expectStatus('signs the owner in', signIn.status, 200);
  token = isObject(signIn.json) && typeof signIn.json['accessToken'] === 'string' ? signIn.json['accessToken'] : '';
  const enableResponse = await callApi('GET', '/api/v2.6/she/function/my-function/enable');
  expectStatus('enables the function', enableResponse.status, 200);
  const storeResponse = await callApi('POST', '/api/v2.6/data/diary/entries', { body: [{ text: 'two words' }] });
  expectStatus('stores a record', storeResponse.status, 201);

  const deadline = performance.now() + STEP_TIMEOUT_MS;
  while (failures.length === 0) {
    const { json } = await callApi('GET', '/api/v2.6/data/my-function/word-counts');
    if (Array.isArray(json) && json.length > 0) {
      passedSteps.push('runs a function in the sandbox');
      break;
    }
    if (performance.now() > deadline) {
      const { json: runs } = await callApi('GET', '/api/v2.6/she/function/my-function/runs');
      failures.push(`the function did not run: ${JSON.stringify(runs)}`);
    }
    await sleep(20);
  }
  return { passedSteps, failures };
}

async function startServer(
  server: ReturnType<typeof createServerProcess>,
): Promise<Extract<ServerState, { kind: 'running' | 'failed' }>> {
  const { promise, resolve } = Promise.withResolvers<Extract<ServerState, { kind: 'running' | 'failed' }>>();
  const unsubscribe = server.subscribe((state) => {
    if (state.kind === 'running' || state.kind === 'failed') resolve(state);
  });
  server.start();
  const state = await promise;
  unsubscribe();
  return state;
}
