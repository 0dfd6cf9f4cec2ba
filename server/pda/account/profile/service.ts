import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { unlessMissing } from '../../../platform/io/file-system.ts';
import { Failure, ignoring } from '../../../platform/failure.ts';
import { createMutex } from '../../../platform/async/mutex.ts';
import type { NonOwnerReader } from '../../../platform/auth/access-trace.ts';
import {
  NOTABLES_ENDPOINT,
  PROFILE_BUNDLE,
  PROFILE_ENDPOINT,
  PROFILE_FIELDS,
  PROFILE_TEXTS,
  type OwnerProfile,
  type ProfileField,
  type ProfileValues,
} from '../../../wire/profile.ts';
import type { Bundle } from '../../../wire/query.ts';
import { isObject } from '../../../wire/values.ts';
import type { EventService } from '../../core/events/service.ts';
import type { FileCaller, FileService } from '../../files/service.ts';
import type { QueryService, Text } from '../../data/queries/service.ts';
import type { RecordService } from '../../data/records/service.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import { profilePage, type PageContent, type PageTexts } from './page-rules.ts';
import type { Language } from '../../../wire/language.ts';
import { cleanPhoto } from './photo-rules.ts';
import type { ProfileStore } from './store.ts';

/** The public profile as text, and its fields (null: entire records). */
export type Shown = { text: Text; fields: readonly string[] | null };

export type ProfileParts = {
  store: ProfileStore;
  records: Pick<RecordService, 'read' | 'create' | 'update'>;
  queries: Pick<QueryService, 'readBundle' | 'bundle' | 'count'>;
  /** Returns true if a bundle of this name is registered. */
  isStored: (bundle: string) => boolean;
  files: Pick<FileService, 'row' | 'create' | 'piece' | 'complete' | 'remove' | 'setPublic' | 'contentUrl'>;
  /** Where the owner's files lie. */
  folder: string;
  writer: Writer;
  events: Pick<EventService, 'notify'>;
  /** The PDA's name on the page, from the host of the request. */
  hostName: (host: string) => string;
};

const OWNER = { kind: 'owner', name: 'owner' } as const;
/** Notes that are shown, the newest ones. */
const MAX_NOTES = 50;
/** Characters of what a stored bundle shows on a page. */
const MAX_PAGE_CHARS = 200_000;

const isPublicNote = [{ field: 'public', operator: { operator: 'in' as const, value: true } }];

type Stored = { recordId: string; data: Record<string, unknown> };

const wholeText = async (text: Text, most = Number.POSITIVE_INFINITY): Promise<string | undefined> => {
  if (typeof text === 'string') return text.length > most ? undefined : text;
  let whole = '';
  for await (const piece of text) {
    whole += piece;
    if (whole.length > most) return undefined;
  }
  return whole;
};

const textsOf = (data: Record<string, unknown>): PageTexts => {
  const texts: PageTexts = {};
  for (const field of PROFILE_TEXTS) {
    const value = data[field];
    if (typeof value === 'string' && value.trim() !== '') texts[field] = value;
  }
  return texts;
};

/** A note is a text, or an object with one. */
const noteOf = (data: unknown): string[] => {
  if (typeof data === 'string') return [data];
  if (!isObject(data)) return [];
  const text = ['text', 'message', 'title'].map((name) => data[name]).find((one) => typeof one === 'string');
  return typeof text === 'string' && text !== '' ? [text] : [];
};

/** The owner's profile: its values, which of them are public, and the public view. */
export const createProfileService = (parts: ProfileParts) => {
  const { store, records, queries, files, writer } = parts;

  const tell = (tx: Transaction): void => parts.events.notify(tx, 'profile');
  /** Serialises read-modify-write operations: two at once could undo each other or leave a photo public unnoticed. */
  const alone = createMutex();

  const newest = async (): Promise<Stored | undefined> => {
    const text = records.read(PROFILE_ENDPOINT, { order: 'descending', skip: 0, take: 1, meta: false });
    const whole = Buffer.isBuffer(text) ? text.toString() : await wholeText(text as Text);
    const [record] = JSON.parse(whole ?? '[]') as { recordId: string; data: unknown }[];
    if (record === undefined) return undefined;
    // Any JSON value can be stored there.
    const { data } = record;
    return { recordId: record.recordId, data: isObject(data) ? data : {} };
  };

  /** The photo, as long as it is the one that was cleaned. */
  const photoRow = () => {
    const { photo, photoHash } = store.row();
    if (photo === null) return undefined;
    try {
      const row = files.row(photo);
      return row.status === 'Completed' && row.sha256 === photoHash ? row : undefined;
    } catch (error) {
      return ignoring('not_found')(error);
    }
  };

  const publicFields = (): ProfileField[] => {
    const { public: fields } = store.row();
    return [...fields, ...(photoRow()?.public === 1 ? (['photo'] as const) : [])];
  };

  /** Which fields of the record leave; the name of the photo's file only while the photo is public itself. */
  const builtIn = (fields: readonly ProfileField[]): Bundle => {
    const mapped = fields.filter((field) => field !== 'notables');
    return {
      ...(mapped.length === 0
        ? {}
        : {
            profile: {
              endpoints: [
                { endpoint: PROFILE_ENDPOINT, mapping: Object.fromEntries(mapped.map((field) => [field, field])) },
              ],
              ordering: 'descending',
              limit: 1,
            },
          }),
      ...(fields.includes('notables')
        ? {
            notables: {
              endpoints: [{ endpoint: NOTABLES_ENDPOINT, filters: isPublicNote }],
              ordering: 'descending',
              limit: MAX_NOTES,
            },
          }
        : {}),
    };
  };

  type BuiltIn = { text: string; profile: Record<string, unknown>; notes: unknown[]; fields: string[] };

  const readBuiltIn = async (guest?: NonOwnerReader): Promise<BuiltIn | undefined> => {
    const fields = publicFields();
    if (fields.length === 0) return undefined;
    const text = (await wholeText(await queries.readBundle(builtIn(fields), guest))) ?? '{}';
    const found = JSON.parse(text) as Record<string, { data: unknown }[] | undefined>;
    const data = found['profile']?.[0]?.data;
    const profile = isObject(data) ? data : {};
    const notes = (found['notables'] ?? []).map((record) => record.data);
    // Switched on, and nothing there to see.
    if (Object.keys(profile).length === 0 && notes.length === 0) return undefined;
    return { text, profile, notes, fields: [...fields].toSorted() };
  };

  const contentOf = async (
    photoAt: (fileId: string) => Promise<string> | string,
    guest?: NonOwnerReader,
  ): Promise<PageContent> => {
    if (parts.isStored(PROFILE_BUNDLE)) {
      const text = await wholeText(await queries.readBundle(queries.bundle(PROFILE_BUNDLE), guest), MAX_PAGE_CHARS);
      if (text === undefined) return { kind: 'bundle', properties: undefined };
      const found = JSON.parse(text) as Record<string, { data: unknown }[]>;
      const properties = Object.fromEntries(
        Object.entries(found).map(([name, list]) => [name, list.map(({ data }) => data)]),
      );
      return { kind: 'bundle', properties };
    }
    const shown = await readBuiltIn(guest);
    if (shown === undefined) return { kind: 'nothing' };
    const photo = photoRow();
    return {
      kind: 'profile',
      texts: textsOf(shown.profile),
      photo: photo?.public === 1 ? await photoAt(photo.file_id) : undefined,
      notes: shown.notes.flatMap(noteOf),
    };
  };

  const merge = async (values: Record<string, string | undefined>): Promise<void> => {
    // Another request deleted the record between the read and the write: retry with the record that is the newest now.
    while (!(await mergedInto(await newest(), values)));
    await writer.write(tell);
  };

  /** False when the record is not there any more. */
  const mergedInto = async (
    before: Stored | undefined,
    values: Record<string, string | undefined>,
  ): Promise<boolean> => {
    const data = { ...before?.data };
    for (const [field, value] of Object.entries(values)) {
      if (value === undefined || value === '') delete data[field];
      else data[field] = value;
    }
    const text = JSON.stringify(data);
    if (before === undefined) {
      if (Object.keys(data).length > 0) await records.create([{ endpoint: PROFILE_ENDPOINT, data: text }], OWNER);
    } else if (text !== JSON.stringify(before.data)) {
      try {
        await records.update([{ endpoint: PROFILE_ENDPOINT, recordId: before.recordId, data: text }], OWNER);
      } catch (error) {
        ignoring('data_missing')(error);
        return false;
      }
    }
    return true;
  };

  const dropPhotoFile = async (fileId: string | null, caller: FileCaller): Promise<void> => {
    if (fileId === null) return;
    await files.remove(fileId, caller).catch(ignoring('not_found', 'wrong_state'));
  };

  const view = async (caller: FileCaller & { host: string }, language: Language): Promise<OwnerProfile> => {
    const found = await newest();
    // The preview embeds the picture itself, because a request of its URL would count as an anonymous access.
    const inPage = async (): Promise<string> => {
      const row = photoRow();
      if (row?.path === undefined || row.path === null) return '';
      // Taken out of the folder a moment ago: that it is gone is noticed soon.
      const bytes = await readFile(join(parts.folder, ...row.path.split('/'))).catch(unlessMissing);
      if (bytes === undefined) return '';
      return `data:${row.type};base64,${bytes.toString('base64')}`;
    };
    const content = await contentOf(inPage);
    const host = parts.hostName(caller.host);
    const notables = await queries.count([{ endpoint: NOTABLES_ENDPOINT, filters: isPublicNote }]);
    const photo = photoRow();
    return {
      endpoint: PROFILE_ENDPOINT,
      recordId: found?.recordId ?? null,
      values: textsOf(found?.data ?? {}),
      public: publicFields(),
      photo:
        photo === undefined ? null : { fileId: photo.file_id, contentUrl: files.contentUrl(photo.file_id, caller) },
      notables,
      bundle: parts.isStored(PROFILE_BUNDLE),
      page: content.kind === 'nothing' ? null : profilePage({ host, language, content }),
    };
  };

  return {
    view,
    save: (values: ProfileValues): Promise<void> =>
      alone(() => merge(Object.fromEntries(PROFILE_TEXTS.map((field) => [field, values[field]])))),

    async setPublic(field: ProfileField, to: boolean, caller: FileCaller): Promise<void> {
      if (field === 'photo') {
        await alone(async () => {
          const photo = photoRow();
          const shown = photo && (await files.setPublic(photo.file_id, to, caller).catch(ignoring('not_found')));
          if (shown === undefined) throw new Failure('wrong_state', 'There is no photo that could be shown.');
          await writer.write(tell);
        });
        return;
      }
      await writer.write((tx) => {
        const rest = store.row().public.filter((one) => one !== field);
        store.setPublic(tx, to ? PROFILE_FIELDS.filter((one) => one === field || rest.includes(one)) : rest);
        tell(tx);
      });
    },

    /** @throws Failure invalid_input | wrong_state | out_of_disk */
    async setPhoto(given: Buffer, caller: FileCaller): Promise<void> {
      const { bytes, type } = cleanPhoto(given);
      await alone(async () => {
        const before = store.row().photo;
        const isPublic = photoRow()?.public === 1;
        const name = type === 'image/jpeg' ? 'photo.jpg' : 'photo.png';
        const { fileId } = await files.create({ name, source: 'profile', title: 'Profile photo' }, caller);
        try {
          await files.piece(fileId, { offset: 0, size: bytes.length }, Readable.from([bytes]));
          await files.complete(fileId, caller);
        } catch (error) {
          // It is among the owner's files already, and can be given up there.
          ignoring('not_found')(error);
          throw new Failure('wrong_state', 'The photo was deleted before all of it was here. Nothing was changed.');
        }
        // Whatever ends this in the middle, no photo stays open to everybody that is not the profile's.
        if (isPublic && before !== null) await files.setPublic(before, false, caller).catch(ignoring('not_found'));
        await writer.write((tx) => store.setPhoto(tx, fileId, hash('sha256', bytes)));
        if (isPublic) await files.setPublic(fileId, true, caller).catch(ignoring('not_found'));
        await dropPhotoFile(before, caller);
        await merge({ photo: fileId });
      });
    },

    removePhoto: (caller: FileCaller): Promise<void> =>
      alone(async () => {
        // The file first: what ends here in the middle can be asked for once more.
        await dropPhotoFile(store.row().photo, caller);
        await writer.write((tx) => store.setPhoto(tx, null, null));
        await merge({ photo: undefined });
      }),

    /** The public profile for programs; undefined if nothing is public. @throws Failure rate_limited */
    async shown(guest?: NonOwnerReader): Promise<Shown | undefined> {
      if (parts.isStored(PROFILE_BUNDLE))
        return { text: await queries.readBundle(queries.bundle(PROFILE_BUNDLE), guest), fields: null };
      const found = await readBuiltIn(guest);
      return found === undefined ? undefined : { text: found.text, fields: found.fields };
    },

    /** The e-mail address in the owner's profile, public or not. */
    async email(): Promise<string | undefined> {
      const email = (await newest())?.data['email'];
      return typeof email === 'string' && email !== '' ? email : undefined;
    },

    /** The page that people get. @throws Failure rate_limited */
    async page(
      host: string,
      language: Language,
      guest?: NonOwnerReader,
    ): Promise<{ html: string; fields: readonly string[] | null; isThere: boolean }> {
      const content = await contentOf((fileId) => `/api/v2.6/files/content/${encodeURIComponent(fileId)}`, guest);
      const html = profilePage({ host: parts.hostName(host), language, content });
      const fields = content.kind === 'bundle' ? null : [...publicFields()].toSorted();
      return { html, fields, isThere: content.kind !== 'nothing' };
    },
  };
};

export type ProfileService = ReturnType<typeof createProfileService>;
