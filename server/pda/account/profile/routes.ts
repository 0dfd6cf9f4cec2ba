import { z } from 'zod';
import { languageOf } from '../../../platform/http/request/accept-language.ts';
import { Failure } from '../../../platform/failure.ts';
import { publicAccess, ownerOnly } from '../../../platform/auth/principal.ts';
import { createRouteDeclarer, json, type Caller } from '../../../platform/http/route.ts';
import { nonOwnerReaderOf } from '../../../platform/auth/access-trace.ts';
import {
  MAX_PHOTO_BYTES,
  ownerProfileSchema,
  PROFILE_PATH,
  profileSwitchSchema,
  profileValuesSchema,
} from '../../../wire/profile.ts';
import { recordListSchema } from '../../../wire/records.ts';
import { PROFILE_PAGE_HEADERS } from './page-rules.ts';
import { acceptsHtml, describeHtmlPage, HTML_TYPE } from '../../core/public-page.ts';
import type { ProfileService } from './service.ts';
import type { PublicRead, PublicReads } from '../../sharing/access-log/index.ts';

const ownerRoute = createRouteDeclarer({ tag: 'Profile', access: ownerOnly });
const publicRoute = createRouteDeclarer({ tag: 'Profile', access: publicAccess });
const PATH = '/api/v2.6/owner/profile';
const PUBLIC_PATH = '/api/v2.6/phata/profile';

const languageHeader = z.object({ 'accept-language': z.string().optional() });
const pageHeaders = languageHeader.extend({ accept: z.string().optional() });
const publicProfileSchema = z.record(z.string(), recordListSchema).meta({ id: 'PublicProfile' });
const profileResponses = { 200: { description: 'The current profile', schema: ownerProfileSchema } };

const readerOf = ({ principal }: Caller): PublicRead['who'] =>
  principal.kind === 'application'
    ? { kind: 'application', name: principal.application }
    : { kind: 'visitor', name: '' };

/** Changing the photo is a decision about access only if the photo is public. */
const tracePhoto = ({ trace }: Caller, isPublic: boolean): void => {
  trace.consent = { kind: 'profile', name: 'photo', detail: 'public' };
  trace.isUnrecorded = !isPublic;
  trace.isDecisionStored = true;
};

const noPublicProfile = (): Failure => new Failure('not_found', 'This PDA has no public profile.');

/** @throws Failure too_large */
const readPhoto = async (body: AsyncIterable<Buffer>): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_PHOTO_BYTES) throw new Failure('too_large', `A photo can be at most ${MAX_PHOTO_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

export const profileRoutes = (parts: {
  profile: ProfileService;
  publicReads: PublicReads;
  /** Returns the base URL of this PDA for a request's host. */
  baseOf: (host: string) => string;
}) => {
  const { profile, publicReads, baseOf } = parts;
  const callerOf = ({ principal, host }: Caller) => ({ principal, base: baseOf(host), host });
  const createProfileResponse = async (caller: Caller, language: string | undefined) =>
    json(200, await profile.view(callerOf(caller), languageOf(language)));

  /** Returns the reader, and a function that logs the read. For the owner, there is no reader and nothing is logged. */
  const prepareRead = (caller: Caller, action: string) => {
    const reader = nonOwnerReaderOf(caller);
    if (reader === undefined) return { reader, recordRead: () => Promise.resolve() };
    const { records } = caller.trace;
    return {
      reader,
      recordRead: (fields: readonly string[] | null, bytes: number): Promise<void> =>
        publicReads.record({
          who: readerOf(caller),
          action,
          consent: null,
          address: caller.address,
          records,
          fields,
          bytes,
        }),
    };
  };

  return [
    ownerRoute({
      method: 'GET',
      path: PATH,
      summary: 'Get the profile and its public part',
      headers: languageHeader,
      responses: profileResponses,
      handler: ({ caller, headers }) => createProfileResponse(caller, headers['accept-language']),
    }),
    ownerRoute({
      method: 'PUT',
      path: PATH,
      summary: 'Change the profile',
      description:
        'Replaces all texts. A missing text is removed. The texts are stored in the newest record at `profile/me`, or in a new one if there is none; its other fields are not changed. Does not change which fields are public.',
      headers: languageHeader,
      body: { as: 'json', schema: profileValuesSchema },
      responses: profileResponses,
      handler: async ({ body, caller, headers }) => {
        await profile.save(body);
        return createProfileResponse(caller, headers['accept-language']);
      },
    }),
    ownerRoute({
      method: 'PUT',
      path: `${PATH}/public`,
      summary: 'Make a field public or private',
      headers: languageHeader,
      body: { as: 'json', schema: profileSwitchSchema },
      responses: profileResponses,
      errors: ['wrong_state'],
      ownerDecision: true,
      handler: async ({ body, caller, headers }) => {
        await profile.setPublic(body.field, body.public, callerOf(caller));
        caller.trace.consent = { kind: 'profile', name: body.field, detail: body.public ? 'public' : 'private' };
        caller.trace.isDecisionStored = true;
        return createProfileResponse(caller, headers['accept-language']);
      },
    }),
    ownerRoute({
      method: 'PUT',
      path: `${PATH}/photo`,
      summary: 'Set the photo',
      description:
        'JPEG or PNG. Stored as a file with the source `profile`, without metadata such as place, time and camera. The new photo is public if the previous one was.',
      headers: languageHeader,
      body: { as: 'bytes', maxBytes: MAX_PHOTO_BYTES, contentType: 'application/octet-stream' },
      responses: profileResponses,
      errors: ['wrong_state'],
      ownerDecision: true,
      handler: async ({ body, caller, headers }) => {
        tracePhoto(caller, await profile.setPhoto(await readPhoto(body), callerOf(caller)));
        return createProfileResponse(caller, headers['accept-language']);
      },
    }),
    ownerRoute({
      method: 'DELETE',
      path: `${PATH}/photo`,
      summary: 'Remove the photo',
      description: 'Deletes the photo file, which can be restored for a day.',
      headers: languageHeader,
      responses: profileResponses,
      ownerDecision: true,
      handler: async ({ caller, headers }) => {
        tracePhoto(caller, await profile.removePhoto(callerOf(caller)));
        return createProfileResponse(caller, headers['accept-language']);
      },
    }),
    publicRoute({
      method: 'GET',
      path: PUBLIC_PATH,
      summary: 'Get the public profile',
      description:
        'The result of the stored bundle `phata` if it exists. Otherwise the public fields of the newest profile record and, if the owner has made notes public, the newest notes that are marked as public.',
      responses: { 200: { description: 'Records by property', schema: publicProfileSchema } },
      errors: ['not_found', 'query_limit_exceeded', 'out_of_disk'],
      handler: async ({ caller }) => {
        const { reader, recordRead } = prepareRead(caller, `GET ${PUBLIC_PATH}`);
        const publicProfile = await profile.readPublicProfile(reader);
        if (publicProfile === undefined) throw noPublicProfile();
        const { text, fields } = publicProfile;
        await recordRead(fields, typeof text === 'string' ? Buffer.byteLength(text) : 0);
        return typeof text === 'string' ? { status: 200, text } : { status: 200, stream: text };
      },
    }),
    publicRoute({
      method: 'GET',
      path: PROFILE_PATH,
      summary: 'Get the public profile as a web page',
      headers: pageHeaders,
      responses: {
        200: describeHtmlPage('HTML page without scripts'),
        404: describeHtmlPage('HTML page stating that there is no public profile'),
      },
      errors: ['not_found', 'query_limit_exceeded', 'out_of_disk'],
      handler: async ({ caller, headers }) => {
        const { reader, recordRead } = prepareRead(caller, `GET ${PROFILE_PATH}`);
        const { html, fields, exists } = await profile.renderPage(
          caller.host,
          languageOf(headers['accept-language']),
          reader,
        );
        if (exists) await recordRead(fields, Buffer.byteLength(html));
        else if (!acceptsHtml(headers.accept)) throw noPublicProfile();
        return { status: exists ? 200 : 404, text: html, contentType: HTML_TYPE, base: PROFILE_PAGE_HEADERS };
      },
    }),
  ] as const;
};
