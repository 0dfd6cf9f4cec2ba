// A Data Plug: brings what a service knows of people into their PDAs.
//
//   node examples/plug/plug.ts register           tells the exchange its password (as a hash), and that it runs
//   node examples/plug/plug.ts bring ada bea      writes into the PDAs of those who have set it up
//
// EXCHANGE, PLUGS_PASSWORD (of the account "plugs"), PLUG_NAME, PLUG_PASSWORD and PDA_DOMAIN come from the environment.
import { argon2Sync, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import '../localhost.ts';

const setting = (name: string): string => {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`${name} is not set`);
  return value;
};
/** The address of a PDA: https, except on this machine. */
const urlOf = (pda: string): string => `${/(^|\.)localhost(:\d+)?$/.test(pda) ? 'http' : 'https'}://${pda}`;

const call = async (method: string, url: string, headers: Record<string, string>, body?: unknown): Promise<unknown> => {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(url, { method, headers: { 'content-type': 'application/json', ...headers }, ...sent });
  const answer = (await response.json()) as { cause?: string };
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${answer.cause ?? ''}`);
  return answer;
};
const signIn = async (base: string, username: string, password: string): Promise<Record<string, string>> => {
  // Names and passwords travel in headers, percent-encoded.
  const headers = { username: encodeURIComponent(username), password: encodeURIComponent(password) };
  const { accessToken } = (await call('GET', `${base}/users/access_token`, headers)) as { accessToken: string };
  return { 'x-auth-token': accessToken };
};

/** What PDAs check our password by: argon2id, in the usual spelling. */
const hashOf = (password: string): string => {
  const salt = randomBytes(16);
  const cost = { memory: 19_456, passes: 2, parallelism: 1 };
  const hash = argon2Sync('argon2id', { message: password, nonce: salt, tagLength: 32, ...cost });
  const [saltText, hashText] = [salt, hash].map((bytes) => bytes.toString('base64').replace(/=+$/, ''));
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${saltText}$${hashText}`;
};

const register = async (): Promise<void> => {
  const exchange = setting('EXCHANGE');
  const me = await signIn(`${exchange}/api`, 'plugs', setting('PLUGS_PASSWORD'));
  const plugs = (await call('GET', `${exchange}/api/dataplugs`, me)) as { uuid: string; name: string }[];
  const plug = plugs.find(({ name }) => name === setting('PLUG_NAME'));
  if (plug === undefined) throw new Error('The operator of the exchange has not registered this plug yet.');
  await call('PUT', `${exchange}/api/dataplugs/${plug.uuid}`, me, { passwordHash: hashOf(setting('PLUG_PASSWORD')) });
  await call('GET', `${exchange}/api/dataplugs/${plug.uuid}/connect`, me);
  console.log(`${plug.name} runs, and PDAs can be connected to it.`);
};

/** By our own name and password: the PDA has the hash from the exchange, and its owner has said yes. */
const signInAt = async (pda: string): Promise<Record<string, string>> => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await signIn(pda, setting('PLUG_NAME'), setting('PLUG_PASSWORD'));
    } catch (error) {
      if (tries === 3) throw error;
      // Set up a moment ago, it may still be asking the exchange about us.
      await sleep(1000);
    }
  }
};

const bring = async (names: string[]): Promise<void> => {
  for (const name of names) {
    const pda = urlOf(`${name}.${setting('PDA_DOMAIN')}`);
    try {
      const me = await signInAt(pda);
      const today = { day: new Date().toISOString().slice(0, 10), steps: 4000 + Math.floor(Math.random() * 8000) };
      await call('POST', `${pda}/api/v2.6/data/pedometer/days`, me, today);
      console.log(`${name}: ${today.steps} steps`);
    } catch (error) {
      // This owner has not set us up, or has disconnected us. The others go on.
      console.log(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
};

const [command, ...names] = process.argv.slice(2);
if (command === 'register') await register();
else if (command === 'bring') await bring(names);
else throw new Error('say register, or bring and the names of PDAs');
