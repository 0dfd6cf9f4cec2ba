import { z } from 'zod';
import { languageOf } from '../../../platform/http/request/accept-language.ts';
import { Failure } from '../../../platform/failure.ts';
import { publicAccess, ownerOnly } from '../../../platform/auth/principal.ts';
import { json, route, type Caller } from '../../../platform/http/route.ts';
import { nonOwnerReaderOf } from '../../../platform/auth/access-trace.ts';
import {
  MAX_PHOTO_BYTES,
  ownerProfileSchema,
  PROFILE_PATH,
  profileSwitchSchema,
  profileValuesSchema,
} from '../../../wire/profile.ts';
import { recordListSchema } from '../../../wire/records.ts';
import { PAGE_POLICY } from './page-rules.ts';
import type { ProfileService } from './service.ts';
import type { Visit, Visits } from './public-reads.ts';

const TAG = 'Profile';
const PATH = '/api/v2.6/owner/profile';
const PUBLIC_PATH = '/api/v2.6/phata/profile';

const languageHeader = z.object({ 'accept-language': z.string().optional() });
const pageHeaders = languageHeader.extend({ accept: z.string().optional() });
const publicProfileSchema = z.record(z.string(), recordListSchema).meta({ id: 'PublicProfile' });
const asItIs = { 200: { description: 'As it is now', schema: ownerProfileSchema } };

/** Headers of the public page: no scripts, no caching, not indexed by search engines. */
const PAGE_HEADERS = new Map([
  ['content-security-policy', PAGE_POLICY],
  ['x-content-type-options', 'nosniff'],
  ['x-frame-options', 'DENY'],
  ['referrer-policy', 'no-referrer'],
  ['cross-origin-opener-policy', 'same-origin'],
  ['cross-origin-resource-policy', 'same-origin'],
  ['x-robots-tag', 'noindex'],
  ['cache-control', 'no-store'],
  ['vary', 'accept-language'],
]);

/** Who reads what anybody may: an application that comes with its token is known by it. */
const whoOf = ({ principal }: Caller): Visit['who'] =>
  principal.kind === 'application'
    ? { kind: 'application', name: principal.application }
    : { kind: 'visitor', name: '' };

const nothingPublic = (): Failure => new Failure('not_found', 'Nothing is public here.');

/** @throws Failure too_large */
const wholeOf = async (body: AsyncIterable<Buffer>): Promise<Buffer> => {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > MAX_PHOTO_BYTES) throw new Failure('too_large', `A photo has at most ${MAX_PHOTO_BYTES} bytes.`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
};

/** The owner's profile, and the two URLs under which its public part is available. */
export const profileRoutes = (parts: {
  profile: ProfileService;
  visits: Visits;
  /** Scheme and host that lead to this PDA, for a host through which a call came. */
  baseOf: (host: string) => string;
}) => {
  const { profile, visits, baseOf } = parts;
  const callerOf = ({ principal, host }: Caller) => ({ principal, base: baseOf(host), host });
  const shownTo = async (caller: Caller, language: string | undefined) =>
    json(200, await profile.view(callerOf(caller), languageOf(language)));

  /** Reads for a caller and logs the access before the response is sent. The owner's own reads are not logged. */
  const readAs = (caller: Caller, action: string) => {
    const { principal, longRead, trace } = caller;
    const guest = nonOwnerReaderOf({ principal, longRead, trace });
    if (guest === undefined) return { guest, note: () => Promise.resolve() };
    const { records } = trace;
    return {
      guest,
      note: (fields: readonly string[] | null, bytes: number): Promise<void> =>
        visits.note({ who: whoOf(caller), action, address: caller.address, records, fields, bytes }),
    };
  };

  return [
    route({
      method: 'GET',
      path: PATH,
      tag: TAG,
      summary: 'The profile, and its public part',
      access: ownerOnly,
      headers: languageHeader,
      responses: asItIs,
      handler: ({ caller, headers }) => shownTo(caller, headers['accept-language']),
    }),
    route({
      method: 'PUT',
      path: PATH,
      tag: TAG,
      summary: 'Change the profile',
      description:
        'All of its texts; one that is not named is taken out. They are kept in the newest record at `profile/me`, with whatever else is in it. Nothing becomes public by it.',
      access: ownerOnly,
      headers: languageHeader,
      body: { as: 'json', schema: profileValuesSchema },
      responses: asItIs,
      errors: ['out_of_disk'],
      handler: async ({ body, caller, headers }) => {
        await profile.save(body);
        return shownTo(caller, headers['accept-language']);
      },
    }),
    route({
      method: 'PUT',
      path: `${PATH}/public`,
      tag: TAG,
      summary: 'Make a field public, or private again',
      access: ownerOnly,
      headers: languageHeader,
      body: { as: 'json', schema: profileSwitchSchema },
      responses: asItIs,
      errors: ['wrong_state', 'out_of_disk'],
      handler: async ({ body, caller, headers }) => {
        await profile.setPublic(body.field, body.public, callerOf(caller));
        return shownTo(caller, headers['accept-language']);
      },
    }),
    route({
      method: 'PUT',
      path: `${PATH}/photo`,
      tag: TAG,
      summary: 'Put a photo in',
      description:
        'JPEG or PNG. Kept as a file of the source `profile`, without anything but the picture: no place, no time, no camera. It stays as public, or not, as the one before.',
      access: ownerOnly,
      headers: languageHeader,
      body: { as: 'bytes', maxBytes: MAX_PHOTO_BYTES, contentType: 'application/octet-stream' },
      responses: asItIs,
      errors: ['invalid_input', 'wrong_state', 'out_of_disk'],
      handler: async ({ body, caller, headers }) => {
        await profile.setPhoto(await wholeOf(body), callerOf(caller));
        return shownTo(caller, headers['accept-language']);
      },
    }),
    route({
      method: 'DELETE',
      path: `${PATH}/photo`,
      tag: TAG,
      summary: 'Take the photo out',
      description: 'Its file is deleted, and can be brought back for a day.',
      access: ownerOnly,
      headers: languageHeader,
      responses: asItIs,
      errors: ['out_of_disk'],
      handler: async ({ caller, headers }) => {
        await profile.removePhoto(callerOf(caller));
        return shownTo(caller, headers['accept-language']);
      },
    }),
    route({
      method: 'GET',
      path: PUBLIC_PATH,
      tag: TAG,
      summary: 'What the owner shows to everybody',
      description:
        'From the stored bundle `phata` when there is one; else the newest record of the profile with the fields that the owner made public, and the notes that are marked public, as far as those are switched on.',
      access: publicAccess,
      responses: { 200: { description: 'Property -> records', schema: publicProfileSchema } },
      errors: ['not_found', 'rate_limited', 'query_limit_exceeded', 'out_of_disk'],
      handler: async ({ caller }) => {
        const { guest, note } = readAs(caller, `GET ${PUBLIC_PATH}`);
        const shown = await profile.shown(guest);
        if (shown === undefined) throw nothingPublic();
        const { text, fields } = shown;
        await note(fields, typeof text === 'string' ? Buffer.byteLength(text) : 0);
        return typeof text === 'string' ? { status: 200, text } : { status: 200, stream: text };
      },
    }),
    route({
      method: 'GET',
      path: PROFILE_PATH,
      tag: TAG,
      summary: 'The same as a page for people',
      access: publicAccess,
      headers: pageHeaders,
      responses: {
        200: { description: 'A page without scripts', contentType: 'text/html; charset=utf-8' },
        404: {
          description: 'A page that says that nothing is public, for a browser',
          contentType: 'text/html; charset=utf-8',
        },
      },
      errors: ['not_found', 'rate_limited', 'query_limit_exceeded', 'out_of_disk'],
      handler: async ({ caller, headers }) => {
        const { guest, note } = readAs(caller, `GET ${PROFILE_PATH}`);
        const { html, fields, isThere } = await profile.page(
          caller.host,
          languageOf(headers['accept-language']),
          guest,
        );
        if (isThere) await note(fields, Buffer.byteLength(html));
        else if (headers.accept?.includes('text/html') !== true) throw nothingPublic();
        return { status: isThere ? 200 : 404, text: html, contentType: 'text/html; charset=utf-8', base: PAGE_HEADERS };
      },
    }),
  ] as const;
};
