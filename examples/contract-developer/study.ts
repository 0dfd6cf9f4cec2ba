// Contracted access: reads from and writes to every PDA that has joined a contract.
//
//   node examples/contract-developer/study.ts
//
// Environment: CONTRACTS, CONTRACT_ID, CONTRACT_TOKEN (the long-lived token; keep it secret), PDA_DOMAIN.
import '../localhost.ts';

const readSetting = (name: string): string => {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`${name} is not set`);
  return value;
};
/** Base URL of a PDA: https, except on this machine. */
const urlOf = (pda: string): string => `${/(^|\.)localhost(:\d+)?$/.test(pda) ? 'http' : 'https'}://${pda}`;

// 1. Send the long-lived token to the contracts service only. The response contains a short-lived token, which is valid
// for 15 minutes, and the names of the PDAs.
type Keyring = { token: string; associatedPdas: string[] };
const fetchKeyring = async (): Promise<Keyring> => {
  const headers = { authorization: `Bearer ${readSetting('CONTRACT_TOKEN')}` };
  const response = await fetch(`${readSetting('CONTRACTS')}/v1/contracts/keyring`, { headers });
  if (!response.ok) throw new Error(`keyring: ${response.status} ${await response.text()}`);
  return (await response.json()) as Keyring;
};

// 2. Each request carries the token, the contract id and the PDA's name in its body, and needs no token header.
type DataRecord<T> = { endpoint: string; recordId: string; data: T };
const callPda = async <T>(
  pdaName: string,
  token: string,
  method: 'POST' | 'PUT',
  path: string,
  fields: object,
): Promise<T> => {
  const response = await fetch(`${urlOf(`${pdaName}.${readSetting('PDA_DOMAIN')}`)}/api/v2.6/contract-data/${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, contractId: readSetting('CONTRACT_ID'), pdaName, ...fields }),
  });
  const content = (await response.json()) as T & { cause?: string };
  if (!response.ok) throw new Error(`${response.status} ${content.cause ?? ''}`);
  return content;
};

// 3. Read and write within the rights of the contract. The first run creates the record; later runs update it.
const updateAverage = async (name: string, token: string): Promise<number> => {
  const lastWeek = { orderBy: 'day', ordering: 'descending', take: 7 };
  const days = await callPda<DataRecord<{ steps: number }>[]>(name, token, 'POST', 'read/fitness/steps', lastWeek);
  const average = Math.round(days.reduce((sum, { data }) => sum + data.steps, 0) / Math.max(1, days.length));
  const [existing] = await callPda<DataRecord<object>[]>(name, token, 'POST', 'read/study/averages', { take: 1 });
  if (existing === undefined) await callPda(name, token, 'POST', 'create/study/averages', { body: { average } });
  else await callPda(name, token, 'PUT', 'update/study', { body: [{ ...existing, data: { average } }] });
  return average;
};

const { token, associatedPdas } = await fetchKeyring();
console.log(`PDAs joined: ${associatedPdas.length}`);
for (const name of associatedPdas) {
  // A PDA may be offline or may have left. Continue with the others.
  const outcome = await updateAverage(name, token).catch((error: unknown) => String(error));
  console.log(`${name}: ${outcome}`);
}
