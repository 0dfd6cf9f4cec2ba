import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * What a PDA and its relay say to each other (docs/adr/0020). A name is claimed as localtunnel does it, `GET /<name>` at the relay, with a proof
 * of the PDA's key; the answer names a session with a secret of its own. Each visitor is then one TCP connection that the PDA has opened
 * beforehand. On it, lines until the visitor is there, and nothing but their bytes afterwards:
 *
 *     PDA    pda-tunnel 1 <session> <counter> <mac>
 *     relay  ready <mac>
 *     PDA    p            every PING_MS; the relay answers each with the same
 *     relay  visit <address> <port> <mac>
 *     PDA    go
 *
 * In place of a visit the relay may say `taken <mac>` and close: the name was claimed anew while this line was open, by somebody with the same key.
 *
 * Every word that matters is signed with the secret, and each counter is good once: who listens on the way can neither take a connection nor
 * invent a visitor. What the visitor says is TLS that ends in the PDA.
 */

/** `accessScope` of the proof by which a PDA claims its name: its `iss` is `<name>.<domain>`, its `resource` the relay's host[:port]. */
export const TUNNEL_SCOPE = 'tunnel';
/** Header with the PDA's public key: base64 of its SubjectPublicKeyInfo. */
export const KEY_HEADER = 'x-pda-key';
/** Query parameters of a claim by an unmodified localtunnel client, which sends no header: the proof, and the key as in the header. */
export const PROOF_PARAMETER = 'proof';
export const KEY_PARAMETER = 'key';

/** Milliseconds between two signs of life on a connection that waits for its visitor. */
export const PING_MS = 20_000;
/** Milliseconds without a sign of life after which the other end is taken for gone. */
export const SILENT_MS = 50_000;
/** Milliseconds that each step of the opening, and the PDA's `go`, may take. */
export const STEP_MS = 10_000;
/** Bytes of the longest line. */
export const MAX_LINE_BYTES = 300;

export const PING = 'p';
export const GO = 'go';

const mac = (secret: Buffer, words: string): string => createHmac('sha256', secret).update(words).digest('base64url');

const isMac = (secret: Buffer, words: string, given: string): boolean => {
  const expected = Buffer.from(mac(secret, words));
  const found = Buffer.from(given);
  return expected.length === found.length && timingSafeEqual(expected, found);
};

/** One connection, as both ends name it: its session and its number in it. */
export type TunnelConnectionId = { session: string; counter: number };

export type Visit = { address: string; port: number };

const openMessage = ({ session, counter }: TunnelConnectionId): string => `open ${session} ${counter}`;
const readyMessage = ({ session, counter }: TunnelConnectionId): string => `ready ${session} ${counter}`;
const takenMessage = ({ session, counter }: TunnelConnectionId): string => `taken ${session} ${counter}`;
const visitMessage = ({ session, counter }: TunnelConnectionId, { address, port }: Visit): string =>
  `visit ${session} ${counter} ${address} ${port}`;

/** The PDA's first line, without its end. */
export const openLine = (secret: Buffer, line: TunnelConnectionId): string =>
  `pda-tunnel 1 ${line.session} ${line.counter} ${mac(secret, openMessage(line))}`;

/** Who wants to open a connection, not proven yet: the session says whose secret to look at. */
export const readOpen = (text: string): (TunnelConnectionId & { mac: string }) | undefined => {
  const found = /^pda-tunnel 1 ([\w-]{1,64}) (\d{1,15}) ([\w-]{43})$/u.exec(text);
  const [, session, counter, given] = found ?? [];
  return session === undefined || given === undefined ? undefined : { session, counter: Number(counter), mac: given };
};

export const isOpenLine = (secret: Buffer, line: TunnelConnectionId & { mac: string }): boolean =>
  isMac(secret, openMessage(line), line.mac);

export const readyLine = (secret: Buffer, line: TunnelConnectionId): string =>
  `ready ${mac(secret, readyMessage(line))}`;

export const isReadyLine = (secret: Buffer, line: TunnelConnectionId, text: string): boolean =>
  text.startsWith('ready ') && isMac(secret, readyMessage(line), text.slice('ready '.length));

export const takenLine = (secret: Buffer, line: TunnelConnectionId): string =>
  `taken ${mac(secret, takenMessage(line))}`;

export const isTakenLine = (secret: Buffer, line: TunnelConnectionId, text: string): boolean =>
  text.startsWith('taken ') && isMac(secret, takenMessage(line), text.slice('taken '.length));

export const visitLine = (secret: Buffer, line: TunnelConnectionId, visit: Visit): string =>
  `visit ${visit.address} ${visit.port} ${mac(secret, visitMessage(line, visit))}`;

/** The visitor of whom the holder of the secret speaks; undefined for everything else. */
export const readVisit = (secret: Buffer, line: TunnelConnectionId, text: string): Visit | undefined => {
  const found = /^visit ([\da-fA-F.:]{2,45}) (\d{1,5}) ([\w-]{43})$/u.exec(text);
  const [, address, port, given] = found ?? [];
  if (address === undefined || given === undefined) return undefined;
  const visit = { address, port: Number(port) };
  return isMac(secret, visitMessage(line, visit), given) ? visit : undefined;
};
