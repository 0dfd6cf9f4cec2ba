import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ip,
  LINES,
  RELAY_DOMAIN,
  startPartner,
  type Journey,
  type Line,
  type Partner,
  type Report,
} from './outside.ts';
import { endProcesses, startProcess } from './relay-process.ts';
import { selfSigned } from './self-signed.ts';

/**
 * `unshare -rn node outside-relay.ts FOLDER`: the relay in a separate network, with a PDA and a visitor in two others. Captures
 * every packet in FOLDER/capture. Prints the outcome as one line of JSON.
 */

const [folder = ''] = process.argv.slice(2);
const here = (file: string): string => join(import.meta.dirname, file);

/** A program in a separate network, at the other end of a virtual link. */
const beyond = async (line: Line, file: string, about: object): Promise<Partner> => {
  const partner = startPartner('unshare', ['-n', process.execPath, here(file)]);
  // It is in its network from the first word on.
  await partner.hear();
  await ip('link', 'add', line.name, 'type', 'veth', 'peer', 'name', line.far, 'netns', String(partner.pid));
  await ip('addr', 'add', `${line.relay}/24`, 'dev', line.name);
  await ip('link', 'set', line.name, 'up');
  partner.say(JSON.stringify(about));
  return partner;
};

await ip('link', 'set', 'lo', 'up');
const capture = startPartner('perl', [here('capture.pl'), join(folder, 'capture')]);
await capture.hear();

const { cert, key } = await selfSigned(RELAY_DOMAIN);
const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
writeFileSync(certFile, cert);
writeFileSync(keyFile, key);
const files = ['--cert', certFile, '--key', keyFile, '--home', join(folder, 'relay')];
const listening = ['serve', '--host', '0.0.0.0', '--domain', RELAY_DOMAIN, ...files];
const relay = await startProcess('server/relay/cli.ts', listening);
const port = Number(new URL(relay.line.split(' ').at(-1) ?? '').port);

const pda = await beyond(LINES.pda, 'outside-pda.ts', { port, folder, ca: cert });
// The visitor needs nothing of ours but these words.
const known = JSON.parse(await pda.hear()) as { trust: string; owner: { name: string; password: string } };
const visitor = await beyond(LINES.visitor, 'outside-visitor.ts', { port, ...known });
const journey = JSON.parse(await visitor.hear()) as Journey;
await Promise.all([visitor.end(), pda.end()]);
const gone = capture.hear();
await capture.end();
const report: Report = { port, journey, lost: Number((await gone).replace('lost ', '')) };
process.stdout.write(`${JSON.stringify(report)}\n`);
endProcesses();
