import type { ProfileField } from '../../../wire/profile.ts';
import type { Database, Transaction } from '../../storage/index.ts';

type ProfileRow = { public: readonly ProfileField[]; photo: string | null; photoHash: string | null };

export type ProfileStore = ReturnType<typeof createProfileStore>;

export const createProfileStore = (db: Database) => {
  const selectProfile = db.prepare<[], { public: string; photo: string | null; photo_sha256: string | null }>(
    'SELECT public, photo, photo_sha256 FROM profile',
  );
  const countPublicPhotos = db
    .prepare<[], number>(
      `SELECT count(*) FROM profile JOIN files ON files.file_id = profile.photo
       WHERE files.public = 1 AND files.status = 'Completed'`,
    )
    .pluck();
  const setPublic = db.prepare('UPDATE profile SET public = ?');
  const setPhoto = db.prepare('UPDATE profile SET photo = ?, photo_sha256 = ?');

  return {
    readRow(): ProfileRow {
      const profile = selectProfile.get();
      // Written by `setPublic` and by imports of accounts.
      const fields = JSON.parse(profile?.public ?? '[]') as ProfileField[];
      return { public: fields, photo: profile?.photo ?? null, photoHash: profile?.photo_sha256 ?? null };
    },
    isPhotoPublic: (): boolean => (countPublicPhotos.get() ?? 0) > 0,
    setPublic: (_tx: Transaction, fields: readonly ProfileField[]) => void setPublic.run(JSON.stringify(fields)),
    setPhoto: (_tx: Transaction, photo: string | null, hash: string | null) => void setPhoto.run(photo, hash),
  };
};
