import { existsSync, readFileSync, statSync } from 'node:fs';
import type { Command } from 'commander';
import { print } from '../../platform/cli.ts';
import { toDisplayLine } from '../../wire/display-text.ts';
import { RECEIPT_FILE_MAX_BYTES } from '../../wire/limits.ts';
import { outputsEntireRecords } from '../../wire/entire-records.ts';
import { mappingSchema, sourcePathsOf } from '../../wire/query.ts';
import { receiptTools } from '../pda.ts';

/* Command `pda verify-receipt`. */

type Content = Awaited<ReturnType<typeof receiptTools.verifyReceipt>>['content'];
type Permission = Content['permissions'][number];
type ExpectedKey = Parameters<typeof receiptTools.verifyReceipt>[1];

/** SHA-256 in base64url. */
const THUMBPRINT_PATTERN = /^[\w-]{43}$/u;

/** Prints a line in which the author of a receipt cannot move the cursor, add lines or reverse the text direction. */
const printText = (line: string): void => print(toDisplayLine(line));

const readInputFile = (command: Command, path: string): string => {
  try {
    if (statSync(path).size > RECEIPT_FILE_MAX_BYTES)
      command.error(`error: ${path} is larger than ${RECEIPT_FILE_MAX_BYTES} bytes`);
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'syscall' in error)
      return command.error(`error: cannot read ${path}: ${error.message}`);
    throw error;
  }
};

const readExpectedKey = (command: Command, value: string | undefined): ExpectedKey => {
  if (value === undefined) return undefined;
  if (THUMBPRINT_PATTERN.test(value) && !existsSync(value)) return { thumbprint: value };
  const keys = receiptTools.parsePublicKeys(readInputFile(command, value));
  if (keys.length === 0)
    command.error(`error: ${value} contains no RSA public key. Pass a PEM file, a JWK, a JWK Set or a thumbprint.`);
  return { keys };
};

/** Lists the fields of the owner's records, not the names that the requester chose for them. */
const describeFields = (mapping: Record<string, unknown> | null | undefined): string => {
  if (mapping === undefined || mapping === null) return 'entire records';
  const { data } = mappingSchema.safeParse(mapping);
  if (data === undefined) return 'an invalid mapping';
  if (outputsEntireRecords(data)) return 'entire records';
  return sourcePathsOf(data)
    .map((path) => path.join('.'))
    .join(', ');
};

const describeBundle = ({ bundle }: Permission['bundle']): string =>
  Object.entries(bundle)
    .flatMap(([name, { endpoints }]) =>
      endpoints.map(({ endpoint, mapping }) => `${name}: ${endpoint} (${describeFields(mapping)})`),
    )
    .join('; ');

const printPermission = (permission: Permission): void => {
  const { state, accepted, start, end, canceledAt, purpose, requestClientName, requestClientUrl } = permission;
  printText(`${accepted ? 'allowed' : 'not allowed'} (${state}): ${requestClientName}, ${requestClientUrl}`);
  printText(`  what: ${describeBundle(permission.bundle)}`);
  printText(`  purpose: ${purpose}`);
  printText(`  from ${start} until ${end ?? 'the owner stops it'}`);
  if (canceledAt !== undefined) printText(`  stopped by the owner on ${canceledAt}`);
};

const verify = async (file: string, options: { key?: string }, command: Command): Promise<void> => {
  const expectedKey = readExpectedKey(command, options.key);
  const { content, thumbprint, pinned } = await receiptTools.verifyReceipt(readInputFile(command, file), expectedKey);
  const { iss, time, dataDebitKey, state, requester, permissions } = content;
  printText('valid: the signature is correct and nothing was changed');
  printText(`signed by ${iss} on ${time}`);
  printText(`Data Debit ${dataDebitKey} (${state}), requested by ${requester.kind} ${requester.name}`);
  for (const permission of permissions) printPermission(permission);
  printText(`key: ${thumbprint} (RFC 7638 thumbprint, SHA-256)`);
  if (!pinned)
    printText(
      'The key came with the receipt: this proves that nothing was changed, not who signed. Pass --key to check who signed.',
    );
};

export const addReceiptCommands = (program: Command): void => {
  program
    .command('verify-receipt')
    .description('verify the signed receipt of a Data Debit, offline')
    .option(
      '--key <file-or-thumbprint>',
      'the key that must have signed the receipt: a PEM file, a JWK, a JWK Set, or its thumbprint',
    )
    .argument('<file>', 'the receipt as it was downloaded, or its JWS alone')
    .action(verify);
};
