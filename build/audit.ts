import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { dirname } from 'node:path';
import { npmScript } from './sbom.ts';

// `npm run audit`: asks the registry for known vulnerabilities in runtime packages. Skipped if the registry is
// unreachable or does not support audits. Not part of `npm test`, whose result must not depend on the date.

/** `skipped`: the registry returned no usable report. */
export type AuditResult = { readonly kind: 'clean' | 'skipped' | 'vulnerable'; readonly message: string };

const AUDIT_TIMEOUT_MS = 60_000;

type Vulnerability = { readonly severity?: string; readonly range?: string };

export function parseAuditReport(output: string): AuditResult {
  let report: unknown;
  try {
    report = JSON.parse(output);
  } catch {
    return { kind: 'skipped', message: 'npm returned no valid JSON' };
  }
  const { message, vulnerabilities } = Object(report) as {
    message?: unknown;
    vulnerabilities?: Readonly<Record<string, Vulnerability>>;
  };
  if (vulnerabilities === undefined)
    return {
      kind: 'skipped',
      message: `the registry cannot be queried: ${typeof message === 'string' ? message : 'no reason given'}`,
    };
  const rows = Object.entries(vulnerabilities).map(
    ([name, { severity, range }]) => `${name} ${range ?? ''}: ${severity ?? 'unknown'}`,
  );
  return rows.length === 0
    ? { kind: 'clean', message: 'no known vulnerabilities in runtime packages' }
    : { kind: 'vulnerable', message: rows.join('\n') };
}

/** @throws {Error} if npm is not on the PATH */
export async function audit(root: string): Promise<AuditResult> {
  const args = [npmScript(process.env), 'audit', '--omit', 'dev', '--json'];
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: AUDIT_TIMEOUT_MS,
  });
  return parseAuditReport(await text(child.stdout));
}

if (import.meta.main) {
  const { kind, message } = await audit(dirname(import.meta.dirname));
  console.log(`${kind === 'skipped' ? 'skipped: ' : ''}${message}`);
  if (kind === 'vulnerable') process.exitCode = 1;
}
