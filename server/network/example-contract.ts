import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { applicationSchema } from '../wire/applications.ts';
import { insteadOf, runProgram, type ProgramOptions } from './service-process.ts';

const APPLICATION_FILE = fileURLToPath(new URL('../../examples/contract-developer/application.json', import.meta.url));

const buildNamespaceOptions = (roles: readonly { role: string; detail?: string | null | undefined }[]): string[] => {
  const rights = new Map<string, string>();
  for (const { role, detail } of roles) {
    const letter = { namespaceread: 'r', namespacewrite: 'w' }[role];
    if (letter !== undefined && typeof detail === 'string') rights.set(detail, (rights.get(detail) ?? '') + letter);
  }
  return [...rights].flatMap(([namespace, letters]) => ['--namespace', `${namespace}:${letters}`]);
};

const parseToken = (output: string): string => {
  const token = /^token (\S+)$/mu.exec(output)?.[1];
  if (token === undefined) throw new Error('The contracts service printed no token.');
  return token;
};

/** Creates the contract. If the contract exists, rotates its token, because only token hashes are stored. */
export const createExampleContract = async (
  database: string,
  options: ProgramOptions,
): Promise<{ id: string; token: string }> => {
  const { id, info, permissions } = applicationSchema.parse(JSON.parse(await readFile(APPLICATION_FILE, 'utf8')));
  const databaseOption = ['--database', database];
  const identityOptions = ['--id', id, '--name', info.name, '--developer', 'developer'];
  const rightOptions = buildNamespaceOptions(permissions.rolesGranted);
  const descriptionOption = ['--description', info.description.text];
  const createArgs = [
    'contract',
    'create',
    ...identityOptions,
    ...descriptionOption,
    ...rightOptions,
    ...databaseOption,
  ];
  const rotateToken = (): Promise<string> =>
    runProgram('contracts', ['token', 'rotate', id, ...databaseOption], options);
  const output = await runProgram('contracts', createArgs, options).catch(insteadOf(/already/u, rotateToken));
  return { id, token: parseToken(output) };
};
