import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { ignoreMissing } from '../../../platform/io/file-system.ts';
import { Failure, ignoreFailures } from '../../../platform/failure.ts';
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
import { MAX_PUBLIC_NOTES } from '../../../wire/limits.ts';
import type { Bundle } from '../../../wire/query.ts';
import { isObject } from '../../../wire/values.ts';
import type { EventService } from '../../core/events/service.ts';
import type { FileCaller, FileService } from '../../files/service.ts';
import type { QueryService, Text } from '../../data/queries/service.ts';
import type { RecordService } from '../../data/records/service.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import { renderProfilePage, type PageContent, type ProfileTexts } from './page-rules.ts';
import type { Language } from '../../../wire/language.ts';
import { stripMetadata } from './photo-rules.ts';
import type { ProfileStore } from './store.ts';

/** Public profile as JSON. `fields`: names of its fields; null if a stored bundle defines it. */
type PublicProfile = { text: Text; fields: readonly string[] | null };

export type ProfileParts = {
  store: ProfileStore;
  records: Pick<RecordService, 'read' | 'create' | 'update'>;
  queries: Pick<QueryService, 'readBundle' | 'bundle' | 'count'>;
  isBundleStored: (bundle: string) => boolean;
  files: Pick<
    FileService,
    'requireRow' | 'create' | 'receiveChunk' | 'complete' | 'remove' | 'setPublic' | 'contentUrl'
  >;
  /** Folder of the owner's files. */
  folder: string;
  writer: Writer;
  events: Pick<EventService, 'notify'>;
  /** Returns the name of the PDA on the page, for a request's host. */
  hostName: (host: string) => string;
};

const OWNER_ORIGIN = { kind: 'owner', name: 'owner' } as const;
/** Maximum length of a bundle's JSON that the page shows. */
const MAX_BUNDLE_CHARS = 200_000;

const PUBLIC_NOTE_FILTERS = [{ field: 'public', operator: { operator: 'in' as const, value: true } }];

type ProfileRecord = { recordId: string; data: Record<string, unknown> };

const collectText = async (text: Text, maxChars = Number.POSITIVE_INFINITY): Promise<string | undefined> => {
  if (typeof text === 'string') return text.length > maxChars ? undefined : text;
  let collectedText = '';
  for await (const chunk of text) {
    collectedText += chunk;
    if (collectedText.length > maxChars) return undefined;
  }
  return collectedText;
};

const textsOf = (data: Record<string, unknown>): ProfileTexts => {
  const texts: ProfileTexts = {};
  for (const field of PROFILE_TEXTS) {
    const value = data[field];
    if (typeof value === 'string' && value.trim() !== '') texts[field] = value;
  }
  return texts;
};

/** A note is a string, or an object with a string in `text`, `message` or `title`. */
const noteOf = (data: unknown): string[] => {
  if (typeof data === 'string') return [data];
  if (!isObject(data)) return [];
  const text = ['text', 'message', 'title'].map((name) => data[name]).find((value) => typeof value === 'string');
  return typeof text === 'string' && text !== '' ? [text] : [];
};

export const createProfileService = (parts: ProfileParts) => {
  const { store, records, queries, files, writer } = parts;

  const notify = (tx: Transaction): void => parts.events.notify(tx, 'profile');
  /** Serialises changes, which could otherwise overwrite each other or leave an old photo public. */
  const mutex = createMutex();

  const readNewestRecord = async (): Promise<ProfileRecord | undefined> => {
    const text = records.read(PROFILE_ENDPOINT, { order: 'descending', skip: 0, take: 1, meta: false });
    const json = Buffer.isBuffer(text) ? text.toString() : await collectText(text as Text);
    const [record] = JSON.parse(json ?? '[]') as { recordId: string; data: unknown }[];
    if (record === undefined) return undefined;
    const { data } = record;
    return { recordId: record.recordId, data: isObject(data) ? data : {} };
  };

  /** Returns undefined if there is no photo, or if its content was replaced: the new content may contain metadata. */
  const findPhotoRow = () => {
    const { photo, photoHash } = store.readRow();
    if (photo === null) return undefined;
    try {
      const row = files.requireRow(photo);
      return row.status === 'Completed' && row.sha256 === photoHash ? row : undefined;
    } catch (error) {
      return ignoreFailures('not_found')(error);
    }
  };

  const listPublicFields = (): ProfileField[] => {
    const { public: fields } = store.readRow();
    return [...fields, ...(findPhotoRow()?.public === 1 ? (['photo'] as const) : [])];
  };

  const createDefaultBundle = (fields: readonly ProfileField[]): Bundle => {
    const bundle: Bundle = {};
    const mappedFields = fields.filter((field) => field !== 'notables');
    if (mappedFields.length > 0) {
      const mapping = Object.fromEntries(mappedFields.map((field) => [field, field]));
      bundle['profile'] = { endpoints: [{ endpoint: PROFILE_ENDPOINT, mapping }], ordering: 'descending', limit: 1 };
    }
    if (fields.includes('notables')) {
      const endpoints = [{ endpoint: NOTABLES_ENDPOINT, filters: PUBLIC_NOTE_FILTERS }];
      bundle['notables'] = { endpoints, ordering: 'descending', limit: MAX_PUBLIC_NOTES };
    }
    return bundle;
  };

  type DefaultProfile = { text: string; profile: Record<string, unknown>; notes: unknown[]; fields: string[] };

  const readDefaultProfile = async (reader?: NonOwnerReader): Promise<DefaultProfile | undefined> => {
    const fields = listPublicFields();
    if (fields.length === 0) return undefined;
    const text = (await collectText(await queries.readBundle(createDefaultBundle(fields), reader))) ?? '{}';
    const recordsByProperty = JSON.parse(text) as Record<string, { data: unknown }[] | undefined>;
    const data = recordsByProperty['profile']?.[0]?.data;
    const profile = isObject(data) ? data : {};
    const notes = (recordsByProperty['notables'] ?? []).map((record) => record.data);
    if (Object.keys(profile).length === 0 && notes.length === 0) return undefined;
    return { text, profile, notes, fields: [...fields].toSorted() };
  };

  const readContent = async (
    photoUrlOf: (fileId: string) => Promise<string> | string,
    reader?: NonOwnerReader,
  ): Promise<PageContent> => {
    if (parts.isBundleStored(PROFILE_BUNDLE)) {
      const text = await collectText(
        await queries.readBundle(queries.bundle(PROFILE_BUNDLE), reader),
        MAX_BUNDLE_CHARS,
      );
      if (text === undefined) return { kind: 'bundle', properties: undefined };
      const recordsByProperty = JSON.parse(text) as Record<string, { data: unknown }[]>;
      const properties = Object.fromEntries(
        Object.entries(recordsByProperty).map(([name, list]) => [name, list.map(({ data }) => data)]),
      );
      return { kind: 'bundle', properties };
    }
    const profile = await readDefaultProfile(reader);
    if (profile === undefined) return { kind: 'empty' };
    const photo = findPhotoRow();
    return {
      kind: 'profile',
      texts: textsOf(profile.profile),
      photo: photo?.public === 1 ? await photoUrlOf(photo.file_id) : undefined,
      notes: profile.notes.flatMap(noteOf),
    };
  };

  /** Updates the newest profile record, or creates one. Empty and undefined values remove a field. */
  const merge = async (values: Record<string, string | undefined>): Promise<void> => {
    // Another request may delete the record in the meantime. Then the newest remaining record is used.
    while (!(await mergeInto(await readNewestRecord(), values)));
    await writer.write(notify);
  };

  const mergeInto = async (
    existing: ProfileRecord | undefined,
    values: Record<string, string | undefined>,
  ): Promise<boolean> => {
    const data = { ...existing?.data };
    for (const [field, value] of Object.entries(values)) {
      if (value === undefined || value === '') delete data[field];
      else data[field] = value;
    }
    const text = JSON.stringify(data);
    if (existing === undefined) {
      if (Object.keys(data).length > 0)
        await records.create([{ endpoint: PROFILE_ENDPOINT, data: text }], OWNER_ORIGIN);
    } else if (text !== JSON.stringify(existing.data)) {
      try {
        await records.update([{ endpoint: PROFILE_ENDPOINT, recordId: existing.recordId, data: text }], OWNER_ORIGIN);
      } catch (error) {
        ignoreFailures('data_missing')(error);
        return false;
      }
    }
    return true;
  };

  const removePhotoFile = async (fileId: string | null, caller: FileCaller): Promise<void> => {
    if (fileId === null) return;
    await files.remove(fileId, caller).catch(ignoreFailures('not_found', 'wrong_state'));
  };

  const view = async (caller: FileCaller & { host: string }, language: Language): Promise<OwnerProfile> => {
    const record = await readNewestRecord();
    // The preview embeds the picture as a data URL, because a request for its URL would be logged as anonymous.
    const readPhotoDataUrl = async (): Promise<string> => {
      const row = findPhotoRow();
      if (row?.path === undefined || row.path === null) return '';
      // Another program may have removed the file since the last reconciliation.
      const bytes = await readFile(join(parts.folder, ...row.path.split('/'))).catch(ignoreMissing);
      if (bytes === undefined) return '';
      return `data:${row.type};base64,${bytes.toString('base64')}`;
    };
    const content = await readContent(readPhotoDataUrl);
    const host = parts.hostName(caller.host);
    const notables = await queries.count([{ endpoint: NOTABLES_ENDPOINT, filters: PUBLIC_NOTE_FILTERS }]);
    const photo = findPhotoRow();
    return {
      endpoint: PROFILE_ENDPOINT,
      recordId: record?.recordId ?? null,
      values: textsOf(record?.data ?? {}),
      public: listPublicFields(),
      photo:
        photo === undefined ? null : { fileId: photo.file_id, contentUrl: files.contentUrl(photo.file_id, caller) },
      notables,
      bundle: parts.isBundleStored(PROFILE_BUNDLE),
      page: content.kind === 'empty' ? null : renderProfilePage({ host, language, content }),
    };
  };

  return {
    view,
    save: (values: ProfileValues): Promise<void> =>
      mutex(() => merge(Object.fromEntries(PROFILE_TEXTS.map((field) => [field, values[field]])))),

    /** @throws Failure wrong_state if there is no photo */
    async setPublic(field: ProfileField, isPublic: boolean, caller: FileCaller): Promise<void> {
      if (field === 'photo') {
        await mutex(async () => {
          const photo = findPhotoRow();
          const updatedPhoto =
            photo && (await files.setPublic(photo.file_id, isPublic, caller).catch(ignoreFailures('not_found')));
          if (updatedPhoto === undefined) throw new Failure('wrong_state', 'The profile has no photo.');
          await writer.write(notify);
        });
        return;
      }
      await writer.write((tx) => {
        const otherFields = store.readRow().public.filter((other) => other !== field);
        const fields = isPublic
          ? PROFILE_FIELDS.filter((name) => name === field || otherFields.includes(name))
          : otherFields;
        store.setPublic(tx, fields);
        notify(tx);
      });
    },

    /**
     * Replaces the photo. The new photo is public if the previous one was. Returns true if it is public.
     * @throws Failure invalid_input | wrong_state | out_of_disk
     */
    async setPhoto(upload: Buffer, caller: FileCaller): Promise<boolean> {
      const { bytes, type } = stripMetadata(upload);
      return mutex(async () => {
        const previousPhoto = store.readRow().photo;
        const isPublic = findPhotoRow()?.public === 1;
        const name = type === 'image/jpeg' ? 'photo.jpg' : 'photo.png';
        const { fileId } = await files.create({ name, source: 'profile', title: 'Profile photo' }, caller);
        try {
          await files.receiveChunk(fileId, { offset: 0, size: bytes.length }, Readable.from([bytes]));
          await files.complete(fileId, caller);
        } catch (error) {
          // Any other failure is rethrown. The owner can then delete the unfinished upload in the list of files.
          ignoreFailures('not_found')(error);
          throw new Failure('wrong_state', 'The photo was deleted during the upload. Nothing was changed.');
        }
        // The previous photo becomes private first, so that it does not stay public after a crash.
        if (isPublic && previousPhoto !== null)
          await files.setPublic(previousPhoto, false, caller).catch(ignoreFailures('not_found'));
        await writer.write((tx) => store.setPhoto(tx, fileId, hash('sha256', bytes)));
        if (isPublic) await files.setPublic(fileId, true, caller).catch(ignoreFailures('not_found'));
        await removePhotoFile(previousPhoto, caller);
        await merge({ photo: fileId });
        return isPublic;
      });
    },

    /** Returns true if the photo was public. */
    removePhoto: (caller: FileCaller): Promise<boolean> =>
      mutex(async () => {
        const { photo } = store.readRow();
        const wasPublic = findPhotoRow()?.public === 1;
        // The photo becomes private first, because its file may not be deletable now.
        if (photo !== null) await files.setPublic(photo, false, caller).catch(ignoreFailures('not_found'));
        // The file is deleted before the setting, so that the request can be repeated after a crash.
        await removePhotoFile(photo, caller);
        await writer.write((tx) => store.setPhoto(tx, null, null));
        await merge({ photo: undefined });
        return wasPublic;
      }),

    /**
     * Returns the public profile for programs; undefined if nothing is public.
     * @throws Failure rate_limited | query_limit_exceeded
     */
    async readPublicProfile(reader?: NonOwnerReader): Promise<PublicProfile | undefined> {
      if (parts.isBundleStored(PROFILE_BUNDLE))
        return { text: await queries.readBundle(queries.bundle(PROFILE_BUNDLE), reader), fields: null };
      const profile = await readDefaultProfile(reader);
      return profile === undefined ? undefined : { text: profile.text, fields: profile.fields };
    },

    async readEmail(): Promise<string | undefined> {
      const email = (await readNewestRecord())?.data['email'];
      return typeof email === 'string' && email !== '' ? email : undefined;
    },

    /** @throws Failure rate_limited | query_limit_exceeded */
    async renderPage(
      host: string,
      language: Language,
      reader?: NonOwnerReader,
    ): Promise<{ html: string; fields: readonly string[] | null; exists: boolean }> {
      const content = await readContent((fileId) => `/api/v2.6/files/content/${encodeURIComponent(fileId)}`, reader);
      const html = renderProfilePage({ host: parts.hostName(host), language, content });
      const fields = content.kind === 'bundle' ? null : [...listPublicFields()].toSorted();
      return { html, fields, exists: content.kind !== 'empty' };
    },
  };
};

export type ProfileService = ReturnType<typeof createProfileService>;
