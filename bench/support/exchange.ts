import { generateKeyPairSync } from 'node:crypto';
import { signPdaToken } from '../../server/platform/auth/pda-token.ts';
import { systemClock } from '../../server/platform/clock.ts';
import { startPostgresServer, withClient, type PostgresServer } from './postgres-server.ts';
import { startProcess, type BenchmarkProcess } from './processes.ts';

type BenchmarkExchange = {
  server: BenchmarkProcess;
  postgres: PostgresServer;
  /** Signs a new token as a PDA, so that no token is in the exchange's cache. @param number the PDA's number, from 1 */
  signToken(number: number): Promise<string>;
  stop(): Promise<void>;
};

export const startExchange = async (pdas: number, connections: number): Promise<BenchmarkExchange> => {
  const postgres = await startPostgresServer(connections);
  const server = await startProcess('server/exchange/cli.ts', ['serve', '--database', postgres.url]);
  const stop = async (): Promise<void> => {
    await server.stop();
    await postgres.stop();
  };
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  await withClient(postgres.url, async (client) => {
    await client.query(
      `INSERT INTO pdas (id, address, public_key, waiting_key, registered, refreshed, last_seen)
       SELECT gen_random_uuid(), 'p' || n || '.bench.example', $1, NULL, $2, $2, NULL FROM generate_series(1, $3) AS n`,
      [pem, Date.now(), pdas],
    );
    await client.query('VACUUM ANALYZE');
  }).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  const resource = new URL(server.url).host;
  return {
    server,
    postgres,
    signToken: (number) =>
      signPdaToken({ privateKey }, { iss: `p${number}.bench.example`, resource, accessScope: 'validate' }, systemClock),
    stop,
  };
};
