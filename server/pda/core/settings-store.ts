import type { Database, Writer } from '../storage/index.ts';

/** Stores the ports that a PDA reuses at its next start. */
export const createSettings = (db: Database, writer: Writer) => {
  const get = db.prepare<[string], string>('SELECT value FROM settings WHERE key = ?').pluck();
  const set = db.prepare(
    'INSERT INTO settings (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  );

  const read = (key: string): number | undefined => {
    const text = get.get(key);
    return text === undefined ? undefined : Number(text);
  };
  const remember = async (key: string, port: number): Promise<void> => {
    if (read(key) === port) return;
    await writer.write(() => set.run(key, String(port)));
  };
  return {
    lastPort: () => read('port'),
    rememberPort: (port: number) => remember('port', port),
    /** Returns the port that last served the public address. */
    lastPublicPort: () => read('publicPort'),
    rememberPublicPort: (port: number) => remember('publicPort', port),
  };
};
