// A Data Plug: writes data of another service into the PDAs of its users.
//
//   node examples/plug/plug.ts register           sends its password hash to the exchange and connects the plug
//   node examples/plug/plug.ts push ada bea       writes into these PDAs if their owners have set up the plug
//
// Environment: EXCHANGE, PLUGS_PASSWORD (of the account "plugs"), PLUG_NAME, PLUG_PASSWORD, PDA_DOMAIN.
import { argon2Sync, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import '../localhost.ts';

const readSetting = (name: string): string => {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`${name} is not set`);
  return value;
};
/** Base URL of a PDA: https, except on this machine. */
const urlOf = (pda: string): string => `${/(^|\.)localhost(:\d+)?$/.test(pda) ? 'http' : 'https'}://${pda}`;

const call = async (method: string, url: string, headers: Record<string, string>, body?: unknown): Promise<unknown> => {
  const init = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(url, { method, headers: { 'content-type': 'application/json', ...headers }, ...init });
  const content = (await response.json()) as { cause?: string };
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${content.cause ?? ''}`);
  return content;
};
const signIn = async (base: string, username: string, password: string): Promise<Record<string, string>> => {
  // Names and passwords travel in headers, percent-encoded.
  const headers = { username: encodeURIComponent(username), password: encodeURIComponent(password) };
  const { accessToken } = (await call('GET', `${base}/users/access_token`, headers)) as { accessToken: string };
  return { 'x-auth-token': accessToken };
};

/** Hashes the password with argon2id, in PHC string format. PDAs verify the password against this hash. */
const hashPassword = (password: string): string => {
  const salt = randomBytes(16);
  const cost = { memory: 19_456, passes: 2, parallelism: 1 };
  const hash = argon2Sync('argon2id', { message: password, nonce: salt, tagLength: 32, ...cost });
  const [saltText, hashText] = [salt, hash].map((bytes) => bytes.toString('base64').replace(/=+$/, ''));
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${saltText}$${hashText}`;
};

const register = async (): Promise<void> => {
  const exchange = readSetting('EXCHANGE');
  const headers = await signIn(`${exchange}/api`, 'plugs', readSetting('PLUGS_PASSWORD'));
  const plugs = (await call('GET', `${exchange}/api/dataplugs`, headers)) as { uuid: string; name: string }[];
  const plug = plugs.find(({ name }) => name === readSetting('PLUG_NAME'));
  if (plug === undefined) throw new Error('The operator of the exchange has not registered this plug yet.');
  const passwordHash = hashPassword(readSetting('PLUG_PASSWORD'));
  await call('PUT', `${exchange}/api/dataplugs/${plug.uuid}`, headers, { passwordHash });
  await call('GET', `${exchange}/api/dataplugs/${plug.uuid}/connect`, headers);
  console.log(`${plug.name} is connected. Owners can now set it up.`);
};

/** Signs in with the plug's name and password. The PDA compares the password with the hash from the exchange. */
const signInAt = async (pda: string): Promise<Record<string, string>> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await signIn(pda, readSetting('PLUG_NAME'), readSetting('PLUG_PASSWORD'));
    } catch (error) {
      if (attempt === 3) throw error;
      // Immediately after the set-up, the PDA may still be fetching the hash. Retry.
      await sleep(1000);
    }
  }
};

const push = async (names: string[]): Promise<void> => {
  for (const name of names) {
    const pda = urlOf(`${name}.${readSetting('PDA_DOMAIN')}`);
    try {
      const headers = await signInAt(pda);
      const today = { day: new Date().toISOString().slice(0, 10), steps: 4000 + Math.floor(Math.random() * 8000) };
      await call('POST', `${pda}/api/v2.6/data/pedometer/days`, headers, today);
      console.log(`${name}: ${today.steps} steps`);
    } catch (error) {
      // The owner may not have set the plug up, or may have disabled it. Continue with the others.
      console.log(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
};

const [command, ...names] = process.argv.slice(2);
if (command === 'register') await register();
else if (command === 'push') await push(names);
else throw new Error('Usage: plug.ts register | plug.ts push <pda>…');
