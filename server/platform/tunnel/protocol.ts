import { createHmac, timingSafeEqual } from 'node:crypto';

// The protocol between a PDA and its relay (docs/adr/0020). The PDA claims a name as localtunnel does, with
// `GET /<name>` at the relay and a proof of its key; the response contains a session ID and a secret. Each client then
// gets one TCP connection that the PDA has opened beforehand. The connection carries lines of text until a client
// arrives, and only the client's bytes afterwards:
//
//     PDA    pda-tunnel 1 <session> <counter> <mac>
//     relay  ready <mac>
//     PDA    p            every PING_MS; the relay echoes it
//     relay  visit <address> <port> <mac>
//     PDA    go
//
// Instead of `visit` the relay may send `taken <mac>` and close: another PDA with the same key has claimed the name.
//
// Every message except pings and `go` is authenticated with the secret, and each counter is valid once, so that an
// eavesdropper can neither take over a connection nor forge a client. The client's bytes are TLS that ends in the PDA,
// or plain HTTP on local domains.

/**
 * `accessScope` of a token that claims a name. Its `iss` is `<name>.<domain>[:port]`, its `resource` the relay's
 * host[:port].
 */
export const TUNNEL_SCOPE = 'tunnel';
/** Header with the SubjectPublicKeyInfo of the PDA's public key in base64. */
export const KEY_HEADER = 'x-pda-key';
/** Query parameters for the token and the key, because an unmodified localtunnel client cannot send headers. */
export const PROOF_PARAMETER = 'proof';
export const KEY_PARAMETER = 'key';

export const PING_MS = 20_000;
/** Time without a ping after which the peer counts as disconnected. */
export const SILENT_MS = 50_000;
/** Time limit for the first message of a connection: `pda-tunnel` at the relay, `ready` at the PDA. */
export const FIRST_MESSAGE_TIMEOUT_MS = 10_000;
export const MAX_LINE_BYTES = 300;

export const PING = 'p';
export const GO = 'go';

const mac = (secret: Buffer, message: string): string =>
  createHmac('sha256', secret).update(message).digest('base64url');

const isMac = (secret: Buffer, message: string, receivedMac: string): boolean => {
  const expectedBytes = Buffer.from(mac(secret, message));
  const receivedBytes = Buffer.from(receivedMac);
  return expectedBytes.length === receivedBytes.length && timingSafeEqual(expectedBytes, receivedBytes);
};

/** `counter`: number of the connection within its session. */
export type TunnelConnectionId = { session: string; counter: number };

/** Address and port of a client, as the relay sees them. */
export type Peer = { address: string; port: number };

const openMessage = ({ session, counter }: TunnelConnectionId): string => `open ${session} ${counter}`;
const readyMessage = ({ session, counter }: TunnelConnectionId): string => `ready ${session} ${counter}`;
const takenMessage = ({ session, counter }: TunnelConnectionId): string => `taken ${session} ${counter}`;
const visitMessage = ({ session, counter }: TunnelConnectionId, { address, port }: Peer): string =>
  `visit ${session} ${counter} ${address} ${port}`;

export const formatOpenLine = (secret: Buffer, connection: TunnelConnectionId): string =>
  `pda-tunnel 1 ${connection.session} ${connection.counter} ${mac(secret, openMessage(connection))}`;

/** Parses the first line of a connection without verifying it, because the session determines the secret. */
export const parseOpenLine = (text: string): (TunnelConnectionId & { mac: string }) | undefined => {
  const match = /^pda-tunnel 1 ([\w-]{1,64}) (\d{1,15}) ([\w-]{43})$/u.exec(text);
  const [, session, counter, receivedMac] = match ?? [];
  return session === undefined || receivedMac === undefined
    ? undefined
    : { session, counter: Number(counter), mac: receivedMac };
};

export const verifyOpenLine = (secret: Buffer, connection: TunnelConnectionId & { mac: string }): boolean =>
  isMac(secret, openMessage(connection), connection.mac);

export const formatReadyLine = (secret: Buffer, connection: TunnelConnectionId): string =>
  `ready ${mac(secret, readyMessage(connection))}`;

export const isReadyLine = (secret: Buffer, connection: TunnelConnectionId, text: string): boolean =>
  text.startsWith('ready ') && isMac(secret, readyMessage(connection), text.slice('ready '.length));

export const formatTakenLine = (secret: Buffer, connection: TunnelConnectionId): string =>
  `taken ${mac(secret, takenMessage(connection))}`;

export const isTakenLine = (secret: Buffer, connection: TunnelConnectionId, text: string): boolean =>
  text.startsWith('taken ') && isMac(secret, takenMessage(connection), text.slice('taken '.length));

export const formatVisitLine = (secret: Buffer, connection: TunnelConnectionId, peer: Peer): string =>
  `visit ${peer.address} ${peer.port} ${mac(secret, visitMessage(connection, peer))}`;

export const parseVisitLine = (secret: Buffer, connection: TunnelConnectionId, text: string): Peer | undefined => {
  const match = /^visit ([\da-fA-F.:]{2,45}) (\d{1,5}) ([\w-]{43})$/u.exec(text);
  const [, address, port, receivedMac] = match ?? [];
  if (address === undefined || receivedMac === undefined) return undefined;
  const peer = { address, port: Number(port) };
  return isMac(secret, visitMessage(connection, peer), receivedMac) ? peer : undefined;
};
