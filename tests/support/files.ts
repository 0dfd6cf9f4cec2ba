import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { fileRecordSchema, type FileRecord } from '../../server/wire/files.ts';
import type { Reply } from './http.ts';
import type { OwnerClient } from './import-over-http.ts';

export const ENCRYPTION_HEADERS = { 'x-local-server-side-encryption': 'AES256' } as const;

export const fileOf = (reply: Reply): FileRecord => {
  if (reply.status !== 200) throw new Error(`${reply.status} ${reply.text}`);
  return fileRecordSchema.parse(reply.json);
};

/** Creates a file record. @returns the record with its upload URL */
export const createFileRecord = async (
  pda: OwnerClient,
  name: string,
  fields: Record<string, unknown> = {},
  token?: string,
): Promise<FileRecord & { contentUrl: string }> => {
  const reply = await pda.call('POST', '/api/v2.6/files/upload', {
    json: { name, source: 'test', ...fields },
    token,
  });
  const file = fileOf(reply);
  if (file.contentUrl === undefined) throw new Error('the file record has no upload URL');
  return { ...file, contentUrl: file.contentUrl };
};

export const putContent = (
  url: string,
  content: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = ENCRYPTION_HEADERS,
): Promise<Response> => fetch(url, { method: 'PUT', body: content, headers });

/** Uploads a file and completes it. */
export const storeFile = async (
  pda: OwnerClient,
  name: string,
  content: string | Uint8Array<ArrayBuffer>,
  fields: Record<string, unknown> = {},
  token?: string,
): Promise<FileRecord> => {
  const { fileId, contentUrl } = await createFileRecord(pda, name, fields, token);
  const uploadResponse = await putContent(contentUrl, content);
  if (uploadResponse.status !== 200) throw new Error(`${uploadResponse.status} ${await uploadResponse.text()}`);
  return fileOf(await pda.call('PUT', `/api/v2.6/files/file/${fileId}/complete`, { token }));
};

export const readFileRecord = async (pda: OwnerClient, fileId: string, token?: string): Promise<FileRecord> =>
  fileOf(await pda.call('GET', `/api/v2.6/files/file/${fileId}`, { token }));

export const randomContent = (bytes: number): Uint8Array<ArrayBuffer> => new Uint8Array(randomBytes(bytes));

/** Returns the ids of matching files in the order of the response. @param page query such as `?skip=…&take=…` */
export const searchFiles = async (pda: OwnerClient, template: object, token?: string, page = ''): Promise<string[]> => {
  const reply = await pda.call('POST', `/api/v2.6/files/search${page}`, {
    json: template,
    token,
  });
  if (reply.status !== 200) throw new Error(`${reply.status} ${reply.text}`);
  return z
    .array(fileRecordSchema)
    .parse(reply.json)
    .map(({ fileId }) => fileId);
};
