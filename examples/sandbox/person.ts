// Acts as the owner of a PDA or as the operator of the exchange, so that scripts can do what a person does in a
// browser.
//
//   node examples/sandbox/person.ts ada sets-up walkabout            sets up an application, a Data Plug or a contract
//   node examples/sandbox/person.ts ada signs-in 'http://…/pdalogin…'  signs in to an application; prints the redirect
//   node examples/sandbox/person.ts ada disables pedometer           disables an application, a Data Plug or a contract
//   node examples/sandbox/person.ts ada claims maps1                 claims an Offer
//   node examples/sandbox/person.ts ada allows maps1                 enables the Data Debit of a claimed Offer
//   node examples/sandbox/person.ts operator approves maps1          approves an Offer
//   node examples/sandbox/person.ts operator publishes walkabout     publishes an application
//
// Environment: PDA_DOMAIN for an owner, EXCHANGE for the operator, and the password, for example ADA_PASSWORD.
import { setTimeout as sleep } from 'node:timers/promises';
import '../localhost.ts';

const readSetting = (name: string): string => {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`${name} is not set`);
  return value;
};

const [person = '', action = '', target = ''] = process.argv.slice(2);
const isOperator = person === 'operator';
const base = isOperator ? readSetting('EXCHANGE') : `http://${person}.${readSetting('PDA_DOMAIN')}`;
let token = '';

const call = async (method: string, path: string, headers: object = {}, body?: object): Promise<unknown> => {
  const init = body === undefined ? {} : { body: JSON.stringify(body) };
  const allHeaders = { 'x-auth-token': token, 'content-type': 'application/json', ...headers };
  const response = await fetch(base + path, { method, headers: allHeaders, ...init });
  const result = (await response.json()) as { cause?: string };
  if (!response.ok) throw new Error(`${person} ${action} ${target}: ${response.status} ${result.cause ?? ''}`);
  return result;
};

/** Polls until another server has processed the change. */
const waitUntil = async (isDone: () => Promise<boolean>, condition: string): Promise<void> => {
  for (let attempt = 0; !(await isDone()); attempt += 1) {
    if (attempt === 300) throw new Error(`Timed out waiting until ${condition}.`);
    await sleep(100);
  }
};

const setUp = async (): Promise<void> => {
  await call('GET', `/api/v2.6/applications/${target}/setup`);
  const isJoining = async (): Promise<boolean> => {
    const contracts = (await call('GET', '/api/v2.6/owner/contracts')) as { contractId: string; state: string }[];
    return contracts.some(({ contractId, state }) => contractId === target && state === 'joining');
  };
  await waitUntil(async () => !(await isJoining()), 'the contracts service has registered the PDA');
};

const signIn = async (): Promise<string> => {
  // A browser does not send the fragment. The sign-in page reads it and sends its parameters to the PDA.
  const { searchParams } = new URL(target.replace('/#/', '/'));
  const login = { name: searchParams.get('name'), redirect: searchParams.get('redirect') };
  return ((await call('POST', '/api/v2.6/owner/login', {}, login)) as { url: string }).url;
};

type OwnOffer = { offer: { offerId: string }; dataDebitKey: string | null };
type ExchangeView = { known: { claims: { offerId: string; confirmed: boolean }[] } | null };
const allow = async (): Promise<void> => {
  const { offers } = (await call('GET', '/api/v2.6/owner/offers')) as { offers: OwnOffer[] };
  const key = offers.find(({ offer }) => offer.offerId === target)?.dataDebitKey;
  if (key === undefined || key === null) throw new Error(`${person} has not claimed ${target}.`);
  await call('GET', `/api/v2.6/data-debit/${key}/enable`);
  await waitUntil(async () => {
    const { known: view } = (await call('GET', '/api/v2.6/owner/network/known')) as ExchangeView;
    return view?.claims.some(({ offerId, confirmed }) => offerId === target && confirmed) === true;
  }, 'the exchange has confirmed the claim');
};

const signInPath = `${isOperator ? '/api' : ''}/users/access_token`;
const password = readSetting(`${person.toUpperCase()}_PASSWORD`);
({ accessToken: token } = (await call('GET', signInPath, { username: person, password })) as { accessToken: string });

const actions: Record<string, () => Promise<unknown>> = {
  'sets-up': setUp,
  'signs-in': signIn,
  disables: () => call('GET', `/api/v2.6/applications/${target}/disable`),
  claims: () => call('POST', `/api/v2.6/owner/offers/${target}/claim`),
  allows: allow,
  approves: () => call('PUT', `/api/v2/offer/${target}?status=approved`),
  publishes: () => call('PUT', `/api/v2/applications/${target}/publish`),
};
const perform = actions[action];
if (perform === undefined) throw new Error(`Unknown action ${action}. Use one of: ${Object.keys(actions).join(', ')}.`);
const outcome = await perform();
console.log(action === 'signs-in' ? outcome : `${person} ${action} ${target}`);
