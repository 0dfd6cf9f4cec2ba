// Contracted access: reads and writes at every PDA that has joined a contract.
//
//   node examples/contract-developer/study.ts
//
// CONTRACTS, CONTRACT_ID, CONTRACT_TOKEN (the long-lived token: keep it secret) and PDA_DOMAIN come from the environment.
import '../localhost.ts';

const setting = (name: string): string => {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`${name} is not set`);
  return value;
};
/** The address of a PDA: https, except on this machine. */
const urlOf = (pda: string): string => `${/(^|\.)localhost(:\d+)?$/.test(pda) ? 'http' : 'https'}://${pda}`;

// 1. The long-lived token goes to the contracts service, and nowhere else. What comes back opens the PDAs for 15 minutes.
type Keyring = { token: string; associatedPdas: string[] };
const keyring = async (): Promise<Keyring> => {
  const headers = { authorization: `Bearer ${setting('CONTRACT_TOKEN')}` };
  const response = await fetch(`${setting('CONTRACTS')}/v1/contracts/keyring`, { headers });
  if (!response.ok) throw new Error(`keyring: ${response.status} ${await response.text()}`);
  return (await response.json()) as Keyring;
};

// 2. Every call carries the token, the contract and the name of the PDA in its body; no header is needed.
type DataRecord<T> = { endpoint: string; recordId: string; data: T };
const contracted = async <T>(
  pdaName: string,
  token: string,
  method: 'POST' | 'PUT',
  path: string,
  more: object,
): Promise<T> => {
  const response = await fetch(`${urlOf(`${pdaName}.${setting('PDA_DOMAIN')}`)}/api/v2.6/contract-data/${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, contractId: setting('CONTRACT_ID'), pdaName, ...more }),
  });
  const answer = (await response.json()) as T & { cause?: string };
  if (!response.ok) throw new Error(`${response.status} ${answer.cause ?? ''}`);
  return answer;
};

// 3. Read what the contract may read, and write where it may write: a first record is created, a later one changed.
const work = async (name: string, token: string): Promise<number> => {
  const newest = { orderBy: 'day', ordering: 'descending', take: 7 };
  const days = await contracted<DataRecord<{ steps: number }>[]>(name, token, 'POST', 'read/fitness/steps', newest);
  const average = Math.round(days.reduce((sum, { data }) => sum + data.steps, 0) / Math.max(1, days.length));
  const [before] = await contracted<DataRecord<object>[]>(name, token, 'POST', 'read/study/averages', { take: 1 });
  if (before === undefined) await contracted(name, token, 'POST', 'create/study/averages', { body: { average } });
  else await contracted(name, token, 'PUT', 'update/study', { body: [{ ...before, data: { average } }] });
  return average;
};

const { token, associatedPdas } = await keyring();
console.log(`${associatedPdas.length} PDAs have joined`);
for (const name of associatedPdas) {
  // One that does not answer, or has left since, must not stop the others.
  const outcome = await work(name, token).catch((error: unknown) => String(error));
  console.log(`${name}: ${outcome}`);
}
