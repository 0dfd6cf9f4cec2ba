// What a person does in a page, for scripts that try things out: the owner of a PDA, or the operator of the exchange.
//
//   node examples/sandbox/person.ts ada sets-up walkabout            agrees to an application, a Data Plug or a contract
//   node examples/sandbox/person.ts ada signs-in 'http://…/pdalogin…'  signs in to one that is set up; prints where the browser goes
//   node examples/sandbox/person.ts ada disables pedometer           takes that back
//   node examples/sandbox/person.ts ada claims walks                 takes part in an Offer
//   node examples/sandbox/person.ts ada allows walks                 says yes to the Data Debit that came of it
//   node examples/sandbox/person.ts operator approves walks          approves an Offer
//   node examples/sandbox/person.ts operator publishes walkabout     publishes an application
import { setTimeout as sleep } from 'node:timers/promises';
import '../localhost.ts';

const setting = (name: string): string => {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`${name} is not set`);
  return value;
};

const [who = '', does = '', what = ''] = process.argv.slice(2);
const isOperator = who === 'operator';
const base = isOperator ? setting('EXCHANGE') : `http://${who}.${setting('PDA_DOMAIN')}`;
let token = '';

const call = async (method: string, path: string, headers: object = {}, body?: object): Promise<unknown> => {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const all = { 'x-auth-token': token, 'content-type': 'application/json', ...headers };
  const response = await fetch(base + path, { method, headers: all, ...sent });
  const answer = (await response.json()) as { cause?: string };
  if (!response.ok) throw new Error(`${who} ${does} ${what}: ${response.status} ${answer.cause ?? ''}`);
  return answer;
};

/** Looks until something has come about elsewhere: a person would look at the page again. */
const until = async (look: () => Promise<boolean>, what: string): Promise<void> => {
  for (let tries = 0; !(await look()); tries += 1) {
    if (tries === 300) throw new Error(`${who} waited in vain until ${what}`);
    await sleep(100);
  }
};

const setsUp = async (): Promise<void> => {
  await call('GET', `/api/v2.6/applications/${what}/setup`);
  const isJoining = async (): Promise<boolean> => {
    const contracts = (await call('GET', '/api/v2.6/owner/contracts')) as { contractId: string; state: string }[];
    return contracts.some(({ contractId, state }) => contractId === what && state === 'joining');
  };
  await until(async () => !(await isJoining()), 'the contracts service has heard of it');
};

const signsIn = async (): Promise<string> => {
  // What stands behind the # never leaves the browser: the page reads it, and asks the PDA.
  const { searchParams } = new URL(what.replace('/#/', '/'));
  const order = { name: searchParams.get('name'), redirect: searchParams.get('redirect') };
  return ((await call('POST', '/api/v2.6/owner/login', {}, order)) as { url: string }).url;
};

type OwnOffer = { offer: { offerId: string }; dataDebitKey: string | null };
type Known = { known: { claims: { offerId: string; confirmed: boolean }[] } | null };
const allows = async (): Promise<void> => {
  const { offers } = (await call('GET', '/api/v2.6/owner/offers')) as { offers: OwnOffer[] };
  const key = offers.find(({ offer }) => offer.offerId === what)?.dataDebitKey;
  if (key === undefined || key === null) throw new Error(`${who} has not claimed ${what}`);
  await call('GET', `/api/v2.6/data-debit/${key}/enable`);
  await until(async () => {
    const { known } = (await call('GET', '/api/v2.6/owner/network/known')) as Known;
    return known?.claims.some(({ offerId, confirmed }) => offerId === what && confirmed) === true;
  }, 'the exchange has heard of it');
};

const signInPath = `${isOperator ? '/api' : ''}/users/access_token`;
const password = setting(`${who.toUpperCase()}_PASSWORD`);
({ accessToken: token } = (await call('GET', signInPath, { username: who, password })) as { accessToken: string });

const deeds: Record<string, () => Promise<unknown>> = {
  'sets-up': setsUp,
  'signs-in': signsIn,
  disables: () => call('GET', `/api/v2.6/applications/${what}/disable`),
  claims: () => call('POST', `/api/v2.6/owner/offers/${what}/claim`),
  allows,
  approves: () => call('PUT', `/api/v2/offer/${what}?status=approved`),
  publishes: () => call('PUT', `/api/v2/applications/${what}/publish`),
};
const deed = deeds[does];
if (deed === undefined) throw new Error(`${who} can be told: ${Object.keys(deeds).join(', ')}`);
const outcome = await deed();
console.log(does === 'signs-in' ? outcome : `${who} ${does} ${what}`);
