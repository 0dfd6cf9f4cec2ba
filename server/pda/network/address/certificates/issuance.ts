import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import type { Log } from '../../../../platform/log.ts';
import type { AcmeClient, Signer } from './acme-client.ts';
import { AcmeProblem } from './acme-error.ts';
import { finishOrder, openAccount, placeOrder, type PollingOptions } from './acme-order.ts';
import type { CertificateFiles } from './files.ts';
import { createCertificateRequest, createChallengeCertificate, generateEcKeyPair, pemOfKey } from './x509.ts';

/** Contains the order until it fails permanently or its certificate is installed, so that it can be resumed. */
export const ORDER_FILE = 'order.json';
const ACCOUNT_FILE = 'account.json';

const accountSchema = z.object({ directory: z.string(), key: z.string(), url: z.string().nullable() });
const orderSchema = z.object({ directory: z.string(), host: z.string(), key: z.string(), url: z.string() });

export type IssueParts = {
  client: AcmeClient;
  files: CertificateFiles;
  directory: string;
  host: string;
  /** Called after the directory was read, before an order is placed or resumed. */
  onBegin(): Promise<void>;
  /** Presents a certificate (PEM, with its key) to clients that use acme-tls/1. The returned function withdraws it. */
  present(challenge: { cert: string; key: string }): () => void;
  signal: AbortSignal;
  polling: PollingOptions;
  log: Log;
};

/** After these errors, the order can still be completed. */
const RESUMABLE_TYPES = new Set(['unfinished', 'rateLimited', 'serverInternal']);

/** Obtains a certificate. @returns key and chain in PEM @throws AcmeProblem, AbortError and file system errors */
export const issueCertificate = async (parts: IssueParts): Promise<{ key: string; chain: string }> => {
  const { client, files, directory, host, log } = parts;

  const readStored = <Content extends { key: string; directory: string; url: string | null }>(
    name: string,
    schema: z.ZodType<Content>,
  ): (Content & { privateKey: KeyObject }) | undefined => {
    const text = files.read(name);
    if (text === undefined) return undefined;
    try {
      const content = schema.parse(JSON.parse(text));
      const privateKey = createPrivateKey(content.key);
      if (privateKey.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw new Error('The key is not P-256.');
      if (content.directory !== directory) return undefined;
      if (content.url !== null) client.checkOrigin(content.url);
      return { ...content, privateKey };
    } catch {
      // The error may contain the key and is not logged.
      log.warn({ file: name }, 'replacing a damaged file in the certificates folder');
      return undefined;
    }
  };
  const write = (name: string, value: object): Promise<void> => files.write(name, JSON.stringify(value));

  const readOrOpenAccount = async (): Promise<Signer & { account: string }> => {
    const storedAccount = readStored(ACCOUNT_FILE, accountSchema);
    if (storedAccount?.url != null) return { key: storedAccount.privateKey, account: storedAccount.url };
    const key = storedAccount?.privateKey ?? (await generateEcKeyPair()).privateKey;
    // The key is stored before the account is created. Otherwise each crash would lead to another account, and
    // authorities limit the number of accounts.
    if (storedAccount === undefined) await write(ACCOUNT_FILE, { directory, key: pemOfKey(key), url: null });
    const url = await openAccount(client, { key });
    await write(ACCOUNT_FILE, { directory, key: pemOfKey(key), url });
    return { key, account: url };
  };

  const finish = async (signer: Signer & { account: string }, url: string, privateKey: KeyObject): Promise<string> => {
    try {
      return await finishOrder(url, {
        ...parts,
        signer,
        csr: await createCertificateRequest(host, { privateKey, publicKey: createPublicKey(privateKey) }),
        presentChallenge: async (digest) => parts.present(await createChallengeCertificate(host, digest)),
      });
    } catch (error) {
      const isFinal =
        error instanceof AcmeProblem && error.kind === 'authority' && !RESUMABLE_TYPES.has(error.type ?? '');
      if (isFinal) await files.remove(ORDER_FILE);
      throw error;
    }
  };

  const order = async (signer: Signer & { account: string }): Promise<{ key: string; chain: string }> => {
    const storedOrder = readStored(ORDER_FILE, orderSchema);
    if (storedOrder?.host === host) {
      try {
        return {
          key: pemOfKey(storedOrder.privateKey),
          chain: await finish(signer, storedOrder.url, storedOrder.privateKey),
        };
      } catch (error) {
        // If the file was removed, the order has failed permanently, for example because it expired. A new order can
        // succeed.
        if (files.read(ORDER_FILE) !== undefined) throw error;
        log.info(
          { reason: error instanceof Error ? error.message : '' },
          'the stored certificate order failed, placing a new one',
        );
      }
    }
    const { privateKey } = await generateEcKeyPair();
    const url = await placeOrder(client, signer, host);
    await write(ORDER_FILE, { directory, host, key: pemOfKey(privateKey), url });
    return { key: pemOfKey(privateKey), chain: await finish(signer, url, privateKey) };
  };

  await client.directory();
  await parts.onBegin();
  try {
    return await order(await readOrOpenAccount());
  } catch (error) {
    if (!(error instanceof AcmeProblem && error.type === 'accountDoesNotExist')) throw error;
    // The authority has deleted the account. The same key is registered again, and the order of the deleted account is
    // removed.
    const storedAccount = readStored(ACCOUNT_FILE, accountSchema);
    if (storedAccount !== undefined) await write(ACCOUNT_FILE, { directory, key: storedAccount.key, url: null });
    await files.remove(ORDER_FILE);
    return order(await readOrOpenAccount());
  }
};
