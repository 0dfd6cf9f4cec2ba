import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ip,
  LINKS,
  RELAY_DOMAIN,
  startControlledProcess,
  type CaptureReport,
  type ClientReport,
  type Link,
  type ControlledProcess,
} from './outside.ts';
import { endProcesses, startProcess } from './relay-process.ts';
import { createSelfSigned } from './self-signed.ts';

// `unshare -rn node outside-relay.ts FOLDER`: runs a relay in a separate network, with a PDA and a remote client in two
// other networks. Captures every packet at the relay in FOLDER/capture. Prints a `CaptureReport` as one line of JSON.

const [folder = ''] = process.argv.slice(2);
const scriptPath = (file: string): string => join(import.meta.dirname, file);

/** Starts a program in a separate network, connected by a virtual link. */
const startInNetwork = async (link: Link, file: string, parameters: object): Promise<ControlledProcess> => {
  const child = startControlledProcess('unshare', ['-n', process.execPath, scriptPath(file)]);
  // The first line shows that the process runs in its network namespace.
  await child.readLine();
  await ip('link', 'add', link.name, 'type', 'veth', 'peer', 'name', link.farName, 'netns', String(child.pid));
  await ip('addr', 'add', `${link.relay}/24`, 'dev', link.name);
  await ip('link', 'set', link.name, 'up');
  child.writeLine(JSON.stringify(parameters));
  return child;
};

await ip('link', 'set', 'lo', 'up');
const capture = startControlledProcess('perl', [scriptPath('capture.pl'), join(folder, 'capture')]);
await capture.readLine();

const { cert, key } = await createSelfSigned(RELAY_DOMAIN);
const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
writeFileSync(certFile, cert);
writeFileSync(keyFile, key);
const files = ['--cert', certFile, '--key', keyFile, '--home', join(folder, 'relay')];
const relayArgs = ['serve', '--host', '0.0.0.0', '--domain', RELAY_DOMAIN, ...files];
const relay = await startProcess('server/relay/cli.ts', relayArgs);
const port = Number(new URL(relay.firstLine.split(' ').at(-1) ?? '').port);

const pda = await startInNetwork(LINKS.pda, 'outside-pda.ts', { port, folder, ca: cert });
// The client receives nothing but the port and these credentials.
const credentials = JSON.parse(await pda.readLine()) as {
  trustedRoot: string;
  owner: { name: string; password: string };
};
const client = await startInNetwork(LINKS.client, 'remote-client.ts', { port, ...credentials });
const clientReport = JSON.parse(await client.readLine()) as ClientReport;
await Promise.all([client.end(), pda.end()]);
const summary = capture.readLine();
await capture.end();
const report: CaptureReport = { port, client: clientReport, lostPackets: Number((await summary).replace('lost ', '')) };
process.stdout.write(`${JSON.stringify(report)}\n`);
endProcesses();
