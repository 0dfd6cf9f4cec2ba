import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import type { Log } from '../../../../platform/log.ts';
import type { AcmeCalls, Signer } from './acme-client.ts';
import { AcmeProblem } from './acme-error.ts';
import { finishOrder, openAccount, placeOrder, type Pace } from './acme-order.ts';
import type { CertificateFiles } from './files.ts';
import { certificateRequest, challengeCertificate, newKey, pemOfKey } from './x509.ts';

/**
 * One try for a certificate, with what is kept of it on disk: the account, for good, and the order with its key, until the certificate is there. A try that was
 * cut off is gone on with; a file that is damaged is made anew.
 */

export const ORDER_FILE = 'order.json';
const ACCOUNT_FILE = 'account.json';

const accountSchema = z.object({ directory: z.string(), key: z.string(), url: z.string().nullable() });
const orderSchema = z.object({ directory: z.string(), host: z.string(), key: z.string(), url: z.string() });

export type IssueParts = {
  calls: AcmeCalls;
  files: CertificateFiles;
  directory: string;
  host: string;
  /** The authority was found, and is asked for something from now on. */
  begin(): Promise<void>;
  /** Shows a certificate (both in PEM) to whoever asks by acme-tls/1, until the returned function is called. */
  present(challenge: { cert: string; key: string }): () => void;
  signal: AbortSignal;
  pace: Pace;
  log: Log;
};

/** Words of an authority after which the order can still come to a good end. */
const NOT_OVER = new Set(['unfinished', 'rateLimited', 'serverInternal']);

/** The key and the chain, both in PEM. @throws AcmeProblem, and what the file system says */
export const issue = async (parts: IssueParts): Promise<{ key: string; chain: string }> => {
  const { calls, files, directory, host, log } = parts;

  /** What a file holds, where it is whole, and its key is one of ours. */
  const kept = <Kept extends { key: string; directory: string; url: string | null }>(
    name: string,
    schema: z.ZodType<Kept>,
  ): (Kept & { privateKey: KeyObject }) | undefined => {
    const text = files.read(name);
    if (text === undefined) return undefined;
    try {
      const found = schema.parse(JSON.parse(text));
      const privateKey = createPrivateKey(found.key);
      if (privateKey.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw new Error('The key is of another kind.');
      if (found.directory !== directory) return undefined;
      if (found.url !== null) calls.own(found.url);
      return { ...found, privateKey };
    } catch {
      // The error would carry what stands in the file.
      log.warn({ file: name }, 'a file beside the certificate is damaged and is made anew');
      return undefined;
    }
  };
  const write = (name: string, value: object): Promise<void> => files.write(name, JSON.stringify(value));

  const account = async (): Promise<Signer & { account: string }> => {
    const found = kept(ACCOUNT_FILE, accountSchema);
    if (found?.url != null) return { key: found.privateKey, account: found.url };
    const key = found?.privateKey ?? (await newKey()).privateKey;
    // The key first: an account whose key was lost would be made again and again, and authorities count them.
    if (found === undefined) await write(ACCOUNT_FILE, { directory, key: pemOfKey(key), url: null });
    const url = await openAccount(calls, { key });
    await write(ACCOUNT_FILE, { directory, key: pemOfKey(key), url });
    return { key, account: url };
  };

  const finish = async (signer: Signer & { account: string }, url: string, privateKey: KeyObject): Promise<string> => {
    try {
      return await finishOrder(url, {
        ...parts,
        signer,
        csr: await certificateRequest(host, { privateKey, publicKey: createPublicKey(privateKey) }),
        showChallenge: async (digest) => parts.present(await challengeCertificate(host, digest)),
      });
    } catch (error) {
      const over = error instanceof AcmeProblem && error.kind === 'authority' && !NOT_OVER.has(error.type ?? '');
      if (over) await files.remove(ORDER_FILE);
      throw error;
    }
  };

  const order = async (signer: Signer & { account: string }): Promise<{ key: string; chain: string }> => {
    const begun = kept(ORDER_FILE, orderSchema);
    if (begun?.host === host) {
      try {
        return { key: pemOfKey(begun.privateKey), chain: await finish(signer, begun.url, begun.privateKey) };
      } catch (error) {
        // An old order may be forgotten by now. What says that of this one says nothing of the next.
        if (files.read(ORDER_FILE) !== undefined) throw error;
        log.info(
          { reason: error instanceof Error ? error.message : '' },
          'an order for a certificate is over, placing another',
        );
      }
    }
    const { privateKey } = await newKey();
    const url = await placeOrder(calls, signer, host);
    await write(ORDER_FILE, { directory, host, key: pemOfKey(privateKey), url });
    return { key: pemOfKey(privateKey), chain: await finish(signer, url, privateKey) };
  };

  await calls.directory();
  await parts.begin();
  try {
    return await order(await account());
  } catch (error) {
    if (!(error instanceof AcmeProblem && error.type === 'accountDoesNotExist')) throw error;
    // Forgotten there: the same key is made known again, and the order is not ours any more.
    const found = kept(ACCOUNT_FILE, accountSchema);
    if (found !== undefined) await write(ACCOUNT_FILE, { directory, key: found.key, url: null });
    await files.remove(ORDER_FILE);
    return order(await account());
  }
};
