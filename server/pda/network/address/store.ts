import type { Exposure } from '../../../wire/exposure.ts';
import type { Database, Transaction } from '../../storage/index.ts';

export type ExposureRow = {
  way: 'none' | 'tunnel' | 'own' | 'localtunnel';
  relay: string | null;
  domain: string | null;
  /** 1: the owner agreed to the certificate authority's terms. */
  agreed: number;
  public_url: string | null;
  host: string | null;
  subdomain: string | null;
  /** Host whose operator the owner has allowed to read the traffic. */
  readable_by: string | null;
  /** 1: passwords are accepted through the localtunnel server. */
  password_sign_in: number;
  /** Unix milliseconds at which the owner went dark; null: not dark. */
  dark: number | null;
};

export type ExposureStore = ReturnType<typeof createExposureStore>;

type FileCounts = Pick<Exposure['open'], 'publicFiles' | 'publicBytes'>;

export const createExposureStore = (db: Database) => {
  const get = db.prepare<[], ExposureRow>(
    'SELECT way, relay, domain, agreed, public_url, host, subdomain, readable_by, password_sign_in, dark FROM exposure',
  );
  const set = db.prepare(
    `UPDATE exposure SET way = :way, relay = :relay, domain = :domain, agreed = :agreed, public_url = :public_url,
     host = :host, subdomain = :subdomain, readable_by = :readable_by, password_sign_in = :password_sign_in, dark = :dark`,
  );
  const countPublicFiles = db.prepare<[], FileCounts>(
    `SELECT count(*) AS publicFiles, coalesce(sum(size), 0) AS publicBytes FROM files
     WHERE public = 1 AND deleted IS NULL AND status = 'Completed'`,
  );
  const countUsers = db.prepare<[], number>('SELECT count(*) FROM users WHERE enabled = 1').pluck();
  return {
    row(): ExposureRow {
      const row = get.get();
      if (row === undefined) throw new Error('The exposure settings are missing.');
      return row;
    },
    set: (_tx: Transaction, row: ExposureRow) => void set.run(row),
    countOpen: (): FileCounts & Pick<Exposure['open'], 'people'> => ({
      ...(countPublicFiles.get() ?? { publicFiles: 0, publicBytes: 0 }),
      people: countUsers.get() ?? 0,
    }),
  };
};
