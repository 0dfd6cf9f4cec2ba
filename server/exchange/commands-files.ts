import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { z } from 'zod';
import { parsed, say } from '../platform/command-line.ts';
import { Failure } from '../platform/failure.ts';
import { publishedApplicationSchema } from '../wire/applications.ts';
import { newDataPlugSchema } from '../wire/data-plugs.ts';
import { accountNameSchema } from '../wire/exchange.ts';
import type { Exchange } from './exchange.ts';

/** Commands that read what is to be registered from a file. */

/** What a file says, as a schema reads it. @throws Failure not_found | invalid_json | invalid_input */
const readJson = async <T>(file: string, schema: z.ZodType<T>): Promise<T> => {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new Failure('not_found', `The file ${file} cannot be read.`);
  });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Failure('invalid_json', `${file} is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [first] = result.error.issues;
  throw new Failure('invalid_input', `${file}: ${first?.path.join('.') ?? ''}: ${first?.message ?? 'not valid'}`);
};

/** Where everything is kept. */
export type Where = { database?: string; home?: string };

export const addFileCommands = (
  program: Command,
  parts: {
    /** The options that say so. */
    where: readonly (readonly [flags: string, description: string])[];
    withExchange: <T>(where: Where, work: (exchange: Exchange) => Promise<T>) => Promise<T>;
    by: string;
  },
): void => {
  const { withExchange, by } = parts;

  const application = program
    .command('application')
    .description('applications: register')
    .command('register <file>')
    .description('register an application, or its next version; it waits for an administrator')
    .option('--publish', 'publish it at once', false)
    .option('--developer <name>', 'the account whose it is; the operator’s when not given', parsed(accountNameSchema));
  application.action(async (file: string, options: Where & { publish: boolean; developer?: string }) => {
    const described = await readJson(file, publishedApplicationSchema);
    const { developer: name, publish } = options;
    await withExchange(options, async ({ accounts, applications }) => {
      const account = name === undefined ? undefined : await accounts.named(name);
      await applications.register(described, {
        publish,
        by,
        ...(account === undefined ? {} : { developer: { accountId: account.userId, name: account.name } }),
      });
    });
    say(`application ${described.id} ${described.info.version} ${publish ? 'published' : 'waits to be published'}`);
  });

  const plug = program
    .command('plug')
    .description('Data Plugs: register')
    .command('register <file>')
    .description('register a Data Plug, and with it the application that owners set up');
  plug.action(async (file: string, options: Where) => {
    const described = await readJson(file, newDataPlugSchema);
    const { uuid, name } = await withExchange(options, ({ plugs }) => plugs.register(described, by));
    say(`plug ${name} registered: ${uuid}`);
  });

  for (const command of [application, plug])
    for (const [flags, description] of parts.where) command.option(flags, description);
};
