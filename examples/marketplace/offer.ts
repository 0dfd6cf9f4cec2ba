// A marketplace provider: requests the same data from many owners and reads the data that they agreed to share.
//
//   node examples/marketplace/offer.ts register maps1   registers an Offer, which the operator has to approve
//   node examples/marketplace/offer.ts collect maps1    reads from every PDA whose owner enabled the Data Debit
//
// Environment: EXCHANGE, MARKETPLACE_PASSWORD (of the account "marketplace").
import { readFile } from 'node:fs/promises';
import '../localhost.ts';

const readSetting = (name: string): string => {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`${name} is not set`);
  return value;
};
/** Base URL of a PDA: https, except on this machine. */
const urlOf = (pda: string): string => `${/(^|\.)localhost(:\d+)?$/.test(pda) ? 'http' : 'https'}://${pda}`;
const DAY_MS = 86_400_000;

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

const [command, offerId = ''] = process.argv.slice(2);
const exchange = readSetting('EXCHANGE');
const providerHeaders = await signIn(`${exchange}/api`, 'marketplace', readSetting('MARKETPLACE_PASSWORD'));

const register = async (): Promise<void> => {
  const offer = JSON.parse(await readFile(new URL('./offer.json', import.meta.url), 'utf8')) as object;
  const times = { starts: Date.now(), expires: Date.now() + 30 * DAY_MS };
  await call('POST', `${exchange}/api/v2/offer`, providerHeaders, { ...offer, ...times, offerId });
  console.log(`${offerId} is registered. The operator has to approve it.`);
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
  const { count, claimed, claims } = (await call(
    'GET',
    `${exchange}/api/v2/offer/${offerId}/claims`,
    providerHeaders,
  )) as Claims;
  // Until `requiredMinUser` claims are confirmed, the list of claims is empty and only the counts are shown.
  console.log(`claimed: ${claimed}, confirmed: ${count}`);
  for (const { user, dataDebitId, credentials } of claims) {
    try {
      // The credentials of a claim work at this PDA only, and only for the values of its Data Debit.
      const headers = await signIn(urlOf(user.address), credentials.login, credentials.passwordPlain);
      const values = await call('GET', `${urlOf(user.address)}/api/v2.6/data-debit/${dataDebitId}/values`, headers);
      console.log(`${user.address}: ${JSON.stringify(values)}`);
    } catch (error) {
      // The owner may have ended the Data Debit, or the PDA may be offline. Continue with the others.
      console.log(`${user.address}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
};

if (command === 'register') await register();
else if (command === 'collect') await collect();
else throw new Error('Usage: offer.ts register|collect <offerId>');
