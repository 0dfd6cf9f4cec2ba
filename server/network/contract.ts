import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { applicationSchema } from '../wire/applications.ts';
import { runProgram } from './child.ts';

/** The contract of the example, which the operator of a contracts service makes by command; its token is shown that once. */

const FILE = fileURLToPath(new URL('../../examples/contract-developer/application.json', import.meta.url));

/** Read and write as the application asks for them. */
const rightsOf = (roles: readonly { role: string; detail?: string | null | undefined }[]): string[] => {
  const rights = new Map<string, string>();
  for (const { role, detail } of roles) {
    const letter = { namespaceread: 'r', namespacewrite: 'w' }[role];
    if (letter !== undefined && typeof detail === 'string') rights.set(detail, (rights.get(detail) ?? '') + letter);
  }
  return [...rights].flatMap(([namespace, letters]) => ['--namespace', `${namespace}:${letters}`]);
};

const tokenIn = (said: string): string => {
  const token = /^token (\S+)$/mu.exec(said)?.[1];
  if (token === undefined) throw new Error('the contracts service showed no token');
  return token;
};

export const makeContract = async (
  database: string,
  env: NodeJS.ProcessEnv,
): Promise<{ id: string; token: string }> => {
  const { id, info, permissions } = applicationSchema.parse(JSON.parse(await readFile(FILE, 'utf8')));
  const where = ['--database', database];
  const words = ['--id', id, '--name', info.name, '--description', info.description.text, '--developer', 'developer'];
  const rights = rightsOf(permissions.rolesGranted);
  const create = ['contract', 'create', ...words, ...rights, ...where];
  const said = await runProgram('contracts', create, { env }).catch((error: unknown) => {
    if (!/already/u.test(String(error))) throw error;
    return runProgram('contracts', ['token', 'rotate', id, ...where], { env });
  });
  return { id, token: tokenIn(said) };
};
