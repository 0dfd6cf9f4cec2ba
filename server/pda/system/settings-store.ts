import type { Database, Writer } from '../storage/index.ts';

/** Small things that a PDA remembers from one start to the next. */
export type Settings = {
  lastPort(): number | undefined;
  rememberPort(port: number): Promise<void>;
};

export const createSettings = (db: Database, writer: Writer): Settings => {
  const get = db.prepare<[string], string>('SELECT value FROM settings WHERE key = ?').pluck();
  const set = db.prepare(
    'INSERT INTO settings (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  );

  return {
    lastPort() {
      const text = get.get('port');
      return text === undefined ? undefined : Number(text);
    },
    async rememberPort(port) {
      if (get.get('port') === String(port)) return;
      await writer.write(() => set.run('port', String(port)));
    },
  };
};
