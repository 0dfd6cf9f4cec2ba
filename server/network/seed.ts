import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { hashPassword } from '../platform/auth/password.ts';
import { applicationSchema } from '../wire/applications.ts';
import { dataPlugSchema } from '../wire/data-plugs.ts';
import { accountSchema, exchangeTokenSchema, listedApplicationSchema, type AccountRole } from '../wire/exchange.ts';
import { offerSchema } from '../wire/offers.ts';

const ROLE_OF_ACCOUNT = {
  developer: 'developer',
  marketplace: 'marketPlace',
  plugs: 'dataPlug',
} as const satisfies Record<string, AccountRole>;
export type AccountName = keyof typeof ROLE_OF_ACCOUNT;
export const ACCOUNT_NAMES = Object.keys(ROLE_OF_ACCOUNT) as AccountName[];
export const OPERATOR_NAME = 'operator';

const OFFER_ID = 'walks';
const OFFER_VALIDITY_MS = 30 * 86_400_000;

/** Returns a random password of hex digits, which need no escaping in a shell or a header. */
export const generatePassword = (): string => randomBytes(12).toString('hex');

const EXAMPLES = new URL('../../examples/', import.meta.url);
const readExample = async <T>(file: string, schema: z.ZodType<T>): Promise<T> =>
  schema.parse(JSON.parse(await readFile(fileURLToPath(new URL(file, EXAMPLES)), 'utf8')));
/** Accepts any object, because the exchange validates the content. */
const objectSchema = z.record(z.string(), z.unknown());

export type ApiClient = (method: string, path: string, body?: unknown) => Promise<{ status: number; body: unknown }>;

/** Creates a client that throws an Error for a status outside 2xx that is not among `acceptedStatuses`. */
export const createApiClient =
  (base: string, token: string, acceptedStatuses: readonly number[] = []): ApiClient =>
  async (method, path, body) => {
    const response = await fetch(base + path, {
      method,
      headers: { 'content-type': 'application/json', 'x-auth-token': token },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok && !acceptedStatuses.includes(response.status))
      throw new Error(`${method} ${path} failed: ${response.status} ${text}`);
    return { status: response.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
  };

/** @returns an access token @throws Error if the server refuses the sign-in */
export const signIn = async (base: string, name: string, password: string): Promise<string> => {
  const response = await fetch(`${base}/users/access_token`, { headers: { username: name, password } });
  const text = await response.text();
  if (!response.ok) throw new Error(`${name} could not sign in at ${base}: ${response.status} ${text}`);
  return exchangeTokenSchema.pick({ accessToken: true }).loose().parse(JSON.parse(text)).accessToken;
};

const seedAccounts = async (operator: ApiClient, passwords: Readonly<Record<AccountName, string>>): Promise<void> => {
  const accounts = z.array(accountSchema).parse((await operator('GET', '/api/accounts')).body);
  for (const name of ACCOUNT_NAMES) {
    const existing = accounts.find((account) => account.name === name);
    const password = passwords[name];
    if (existing === undefined)
      await operator('POST', '/api/accounts', { name, password, roles: [ROLE_OF_ACCOUNT[name]] });
    else await operator('PUT', `/api/accounts/${existing.userId}`, { password, enabled: true });
  }
};

/** Continues where an interrupted start stopped. Leaves suspended applications as they are. */
const publishApplication = async (operator: ApiClient, developer: ApiClient, file: string): Promise<void> => {
  const application = await readExample(file, applicationSchema);
  const path = `/api/v2/applications/${application.id}`;
  if ((await operator('GET', path)).status === 200) return;
  const list = await operator('GET', `/api/applications/listed?id=${application.id}`);
  const state = z.array(listedApplicationSchema).parse(list.body)[0]?.state;
  if (state === undefined) await developer('POST', '/api/v2/applications', application);
  if (state === undefined || state === 'draft') await developer('PUT', `${path}/submit`);
  if (state !== 'suspended') await operator('PUT', `${path}/publish`);
};

const seedPlug = async (operator: ApiClient): Promise<string> => {
  const plug = await readExample('plug/plug.json', z.looseObject({ name: z.string() }));
  const plugs = z.array(dataPlugSchema).parse((await operator('GET', '/api/dataplugs')).body);
  if (plugs.every(({ name }) => name !== plug.name))
    await operator('POST', '/api/dataplugs', {
      ...plug,
      // Placeholder, because examples/plug sets its own password hash.
      passwordHash: await hashPassword(generatePassword()),
      approved: true,
      owner: 'plugs' satisfies AccountName,
    });
  return plug.name;
};

const seedOffer = async (operator: ApiClient, marketplace: ApiClient): Promise<void> => {
  const existing = await operator('GET', `/api/v2/offer/${OFFER_ID}`);
  if (existing.status === 404) {
    const offer = await readExample('marketplace/offer.json', objectSchema);
    const times = { starts: Date.now(), expires: Date.now() + OFFER_VALIDITY_MS };
    await marketplace('POST', '/api/v2/offer', { ...offer, ...times, offerId: OFFER_ID });
  } else if (offerSchema.parse(existing.body).status !== 'draft') return;
  await operator('PUT', `/api/v2/offer/${OFFER_ID}?status=approved`);
};

/**
 * Creates the accounts, applications, Data Plug and Offer that are missing or incomplete. Enables existing accounts and
 * sets their passwords, except the operator's.
 */
export const seedExchange = async (
  exchange: string,
  passwords: Readonly<Record<AccountName | typeof OPERATOR_NAME, string>>,
): Promise<{ plug: string }> => {
  const base = `${exchange}/api`;
  const operator = createApiClient(exchange, await signIn(base, OPERATOR_NAME, passwords[OPERATOR_NAME]), [404]);
  await seedAccounts(operator, passwords);
  const developer = createApiClient(exchange, await signIn(base, 'developer', passwords.developer));
  const marketplace = createApiClient(exchange, await signIn(base, 'marketplace', passwords.marketplace));
  await publishApplication(operator, developer, 'app/application.json');
  await publishApplication(operator, developer, 'contract-developer/application.json');
  await seedOffer(operator, marketplace);
  return { plug: await seedPlug(operator) };
};
