import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { hashPassword } from '../platform/password.ts';
import { applicationSchema } from '../wire/applications.ts';
import { dataPlugSchema } from '../wire/data-plugs.ts';
import { accountSchema, exchangeTokenSchema, type AccountRole } from '../wire/exchange.ts';

/** What there is at an exchange from the beginning, so that a developer can begin anywhere: made over HTTP, as its people would. */

const ACCOUNTS = {
  developer: 'developer',
  marketplace: 'marketPlace',
  plugs: 'dataPlug',
} as const satisfies Record<string, AccountRole>;
export type AccountName = keyof typeof ACCOUNTS;
export const ACCOUNT_NAMES = Object.keys(ACCOUNTS) as AccountName[];
export const OPERATOR = 'operator';

/** The Offer that stands from the beginning. */
const OFFER_ID = 'walks';
const DAY_MS = 86_400_000;

/** Long enough for everybody who asks for a password, and without a character that a shell or a header would read. */
export const makeUp = (): string => randomBytes(12).toString('hex');

const EXAMPLES = new URL('../../examples/', import.meta.url);
const readExample = async <T>(file: string, schema: z.ZodType<T>): Promise<T> =>
  schema.parse(JSON.parse(await readFile(fileURLToPath(new URL(file, EXAMPLES)), 'utf8')));
/** Shown as it is to whoever checks it. */
const anyObject = z.record(z.string(), z.unknown());

export type Answer = { status: number; body: unknown };
export type Call = (method: string, path: string, body?: unknown) => Promise<Answer>;

/** Calls a server of ours as whoever has this token. @throws Error for every answer that is not 2xx, nor one of those that are expected */
export const callerOf =
  (base: string, token: string, expected: readonly number[] = []): Call =>
  async (method, path, body) => {
    const response = await fetch(base + path, {
      method,
      headers: { 'content-type': 'application/json', 'x-auth-token': token },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok && !expected.includes(response.status))
      throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return { status: response.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
  };

export const signIn = async (base: string, name: string, password: string): Promise<string> => {
  const response = await fetch(`${base}/users/access_token`, { headers: { username: name, password } });
  const text = await response.text();
  if (!response.ok) throw new Error(`${name} could not sign in at ${base}: ${response.status} ${text}`);
  return exchangeTokenSchema.pick({ accessToken: true }).loose().parse(JSON.parse(text)).accessToken;
};

const accountsOf = async (operator: Call, passwords: Readonly<Record<AccountName, string>>): Promise<void> => {
  const there = z.array(accountSchema).parse((await operator('GET', '/api/accounts')).body);
  for (const name of ACCOUNT_NAMES) {
    const known = there.find((account) => account.name === name);
    const password = passwords[name];
    if (known === undefined) await operator('POST', '/api/accounts', { name, password, roles: [ACCOUNTS[name]] });
    else await operator('PUT', `/api/accounts/${known.userId}`, { password, enabled: true });
  }
};

const publish = async (operator: Call, developer: Call, file: string): Promise<void> => {
  const application = await readExample(file, applicationSchema);
  const path = `/api/v2/applications/${application.id}`;
  if ((await operator('GET', path)).status === 200) return;
  await developer('POST', '/api/v2/applications', application);
  await developer('PUT', `${path}/submit`);
  await operator('PUT', `${path}/publish`);
};

/** @returns the plug's name */
const registerPlug = async (operator: Call): Promise<string> => {
  const plug = await readExample('plug/plug.json', z.looseObject({ name: z.string() }));
  const there = z.array(dataPlugSchema).parse((await operator('GET', '/api/dataplugs')).body);
  if (there.every(({ name }) => name !== plug.name))
    await operator('POST', '/api/dataplugs', {
      ...plug,
      // Nobody knows this one: its maker sets another (examples/plug).
      passwordHash: await hashPassword(makeUp()),
      approved: true,
      owner: 'plugs' satisfies AccountName,
    });
  return plug.name;
};

const offer = async (operator: Call, marketplace: Call): Promise<void> => {
  if ((await operator('GET', `/api/v2/offer/${OFFER_ID}`)).status === 200) return;
  const described = await readExample('marketplace/offer.json', anyObject);
  const times = { starts: Date.now(), expires: Date.now() + 30 * DAY_MS };
  await marketplace('POST', '/api/v2/offer', { ...described, ...times, offerId: OFFER_ID });
  await operator('PUT', `/api/v2/offer/${OFFER_ID}?status=approved`);
};

/** Makes what is not there yet, and gives every account its new password. */
export const furnish = async (
  exchange: string,
  passwords: Readonly<Record<AccountName | typeof OPERATOR, string>>,
): Promise<{ plug: string; offer: string }> => {
  const base = `${exchange}/api`;
  const operator = callerOf(exchange, await signIn(base, OPERATOR, passwords[OPERATOR]), [404]);
  await accountsOf(operator, passwords);
  const developer = callerOf(exchange, await signIn(base, 'developer', passwords.developer));
  const marketplace = callerOf(exchange, await signIn(base, 'marketplace', passwords.marketplace));
  await publish(operator, developer, 'app/application.json');
  await publish(operator, developer, 'contract-developer/application.json');
  await offer(operator, marketplace);
  return { plug: await registerPlug(operator), offer: OFFER_ID };
};
