import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { z } from 'zod';
import { parseOption, print } from '../platform/cli.ts';
import { Failure } from '../platform/failure.ts';
import { describeFirstIssue, describeIssue } from '../platform/http/request/validation-messages.ts';
import { addDatabaseOptions, type DatabaseLocation } from '../platform/service/service-commands.ts';
import { publishedApplicationSchema } from '../wire/applications.ts';
import { newDataPlugSchema } from '../wire/data-plugs.ts';
import { accountNameSchema } from '../wire/exchange.ts';
import { messageOf } from '../wire/values.ts';
import type { Exchange } from './exchange.ts';

const readJson = async <T>(file: string, schema: z.ZodType<T>): Promise<T> => {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new Failure('not_found', `Cannot read the file ${file}.`);
  });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Failure('invalid_json', `${file} is not valid JSON: ${messageOf(error)}`);
  }
  const result = schema.safeParse(value, { error: describeIssue });
  if (result.success) return result.data;
  throw new Failure('invalid_input', `${file}: ${describeFirstIssue(result.error)}`);
};

type RegistrationOptions = DatabaseLocation & { publish: boolean; developer?: string };

export const addRegistrationCommands = (
  program: Command,
  parts: {
    withExchange: <T>(location: DatabaseLocation, work: (exchange: Exchange) => Promise<T>) => Promise<T>;
    actor: string;
  },
): void => {
  const { withExchange, actor } = parts;

  const registerApplication = program
    .command('application')
    .description('applications: register')
    .command('register <file>')
    .description('register an application or its next version for review by an administrator')
    .option('--publish', 'publish it without review', false)
    .option('--developer <name>', 'account of the developer; default: the operator', parseOption(accountNameSchema));
  addDatabaseOptions(registerApplication).action(async (file: string, options: RegistrationOptions) => {
    const application = await readJson(file, publishedApplicationSchema);
    const { developer: name, publish } = options;
    await withExchange(options, async ({ accounts, applications }) => {
      const account = name === undefined ? undefined : await accounts.getByName(name);
      const developer = account && { accountId: account.userId, name: account.name };
      await applications.register(application, { publish, actor, developer });
    });
    const { id, info } = application;
    print(
      `application ${id} ${info.version} ${publish ? 'published' : 'registered; an administrator has to publish it'}`,
    );
  });

  const registerPlug = program
    .command('plug')
    .description('Data Plugs: register')
    .command('register <file>')
    .description('register a Data Plug and the application with which owners set it up');
  addDatabaseOptions(registerPlug).action(async (file: string, options: DatabaseLocation) => {
    const plug = await readJson(file, newDataPlugSchema);
    const { uuid, name } = await withExchange(options, ({ plugs }) => plugs.register(plug, actor));
    print(`plug ${name} registered: ${uuid}`);
  });
};
