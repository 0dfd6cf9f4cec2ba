// A marketplace provider: asks many people for the same data, and reads what they agreed to share.
//
//   node examples/marketplace/offer.ts register maps1     registers an Offer; the operator of the exchange approves it
//   node examples/marketplace/offer.ts collect maps1      reads at every PDA whose owner has said yes
//
// EXCHANGE and MARKETPLACE_PASSWORD (of the account "marketplace") come from the environment.
import { readFile } from 'node:fs/promises';
import '../localhost.ts';

const setting = (name: string): string => {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`${name} is not set`);
  return value;
};
/** The address of a PDA: https, except on this machine. */
const urlOf = (pda: string): string => `${/(^|\.)localhost(:\d+)?$/.test(pda) ? 'http' : 'https'}://${pda}`;
const DAY_MS = 86_400_000;

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

const [command, offerId = ''] = process.argv.slice(2);
const exchange = setting('EXCHANGE');
const me = await signIn(`${exchange}/api`, 'marketplace', setting('MARKETPLACE_PASSWORD'));

const register = async (): Promise<void> => {
  const offer = JSON.parse(await readFile(new URL('offer.json', import.meta.url), 'utf8')) as object;
  const times = { starts: Date.now(), expires: Date.now() + 30 * DAY_MS };
  await call('POST', `${exchange}/api/v2/offer`, me, { ...offer, ...times, offerId });
  console.log(`${offerId} is registered, and waits for the operator.`);
};

type Claims = {
  count: number;
  claimed: number;
  claims: {
    user: { address: string };
    dataDebitId: string;
    credentials: { login: string; passwordPlain: string };
  }[];
};

const collect = async (): Promise<void> => {
  const { count, claimed, claims } = (await call('GET', `${exchange}/api/v2/offer/${offerId}/claims`, me)) as Claims;
  // Below the Offer's requiredMinUser there is a count, and nobody's address.
  console.log(`${claimed} have claimed, ${count} have said yes`);
  for (const { user, dataDebitId, credentials } of claims) {
    try {
      // Each PDA has a password of its own for us, and lets us read one thing: the values of its Data Debit.
      const reader = await signIn(urlOf(user.address), credentials.login, credentials.passwordPlain);
      const values = await call('GET', `${urlOf(user.address)}/api/v2.6/data-debit/${dataDebitId}/values`, reader);
      console.log(`${user.address}: ${JSON.stringify(values)}`);
    } catch (error) {
      // Its owner has ended this, or it is off just now. The others go on.
      console.log(`${user.address}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
};

if (command === 'register') await register();
else if (command === 'collect') await collect();
else throw new Error('say register or collect, and the id of the Offer');
