import Sqlite from 'better-sqlite3';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ownerProfileSchema, type OwnerProfile } from '../server/wire/profile.ts';
import { ledgerPageSchema, type LedgerRow } from '../server/wire/ledger.ts';
import { anApplication, setUpApplication } from './support/applications.ts';
import type { Reply } from './support/http.ts';
import { PNG_SIGNATURE, pngChunk } from './support/png.ts';
import { dataAt, errorOf, startTestPda, type TestPda } from './support/test-pda.ts';

const SECRET_LOCATION = 'GPSLatitude 52.5200 N';
const APPLICATIONS = [
  anApplication({ id: 'reader', roles: [{ role: 'namespaceread', detail: 'profile' }] }),
  anApplication({ id: 'helper', roles: [{ role: 'owner' }] }),
];

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda({ config: { applications: APPLICATIONS } });
});
afterAll(() => pda.close());

const PATH = '/api/v2.6/owner/profile';
const profileOf = (reply: Reply): OwnerProfile => {
  expect(reply.status).toBe(200);
  return ownerProfileSchema.parse(reply.json);
};
const save = async (values: Record<string, string>): Promise<OwnerProfile> =>
  profileOf(await pda.call('PUT', PATH, { json: values }));
const setPublic = async (field: string, isPublic = true): Promise<OwnerProfile> =>
  profileOf(await pda.call('PUT', `${PATH}/public`, { json: { field, public: isPublic } }));
const makeAllPrivate = async (): Promise<void> => {
  for (const field of profileOf(await pda.call('GET', PATH)).public) await setPublic(field, false);
};
const fetchAnonymously = (path: string, headers: Record<string, string> = {}): Promise<Reply> =>
  pda.call('GET', path, { token: null, headers });
const fetchJson = (): Promise<Reply> => fetchAnonymously('/api/v2.6/phata/profile');
const fetchPage = (): Promise<Reply> => fetchAnonymously('/profile', { accept: 'text/html,*/*' });
const putPhoto = (bytes: Buffer): Promise<Reply> =>
  pda.call('PUT', `${PATH}/photo`, { body: bytes, headers: { 'content-type': 'application/octet-stream' } });
const readLog = async (): Promise<LedgerRow[]> =>
  ledgerPageSchema.parse((await pda.call('GET', '/api/v2.6/owner/ledger?take=100')).json).rows;

/** Creates a PNG that has a location in its metadata and in trailing bytes. */
const buildPng = (width = 2, height = 2): Buffer => {
  const size = Buffer.alloc(13);
  size.writeUInt32BE(width);
  size.writeUInt32BE(height, 4);
  size.set([8, 0, 0, 0, 0], 8);
  return Buffer.concat([
    PNG_SIGNATURE,
    pngChunk('IHDR', size),
    pngChunk('tEXt', Buffer.from(`Comment\0${SECRET_LOCATION}`)),
    pngChunk('eXIf', Buffer.from(SECRET_LOCATION)),
    pngChunk('IDAT', deflateSync(Buffer.alloc((width + 1) * height))),
    pngChunk('IEND', Buffer.alloc(0)),
    Buffer.from(SECRET_LOCATION),
  ]);
};
const jpegSegment = (marker: number, data: Buffer): Buffer => {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
};
const SCAN = Buffer.from([0x12, 0xff, 0x00, 0x34, 0xff, 0xd0, 0x56]);
const buildJpeg = (width = 64, height = 48): Buffer => {
  const frame = Buffer.from([8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0]);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    jpegSegment(0xe0, Buffer.from('JFIF\0')),
    // Exif embeds a thumbnail, which ends with the same marker as the picture.
    jpegSegment(
      0xe1,
      Buffer.concat([Buffer.from(`Exif\0\0${SECRET_LOCATION}`), Buffer.from([0xff, 0xd8, 0xff, 0xd9])]),
    ),
    jpegSegment(0xed, Buffer.from(SECRET_LOCATION)),
    jpegSegment(0xfe, Buffer.from(SECRET_LOCATION)),
    jpegSegment(0xdb, Buffer.alloc(65, 1)),
    jpegSegment(0xc0, frame),
    jpegSegment(0xc4, Buffer.alloc(20, 2)),
    jpegSegment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
    SCAN,
    Buffer.from([0xff, 0xd9]),
    Buffer.from(SECRET_LOCATION),
  ]);
};

describe('the profile', () => {
  it('is initially empty and private', async () => {
    const profile = profileOf(await pda.call('GET', PATH));
    expect(profile).toMatchObject({ recordId: null, values: {}, public: [], photo: null, bundle: false, page: null });
    expect(errorOf(await fetchJson())).toMatchObject({ error: 'not_found' });
    const notFound = await fetchPage();
    expect([notFound.status, notFound.headers['content-type']]).toStrictEqual([404, 'text/html; charset=utf-8']);
    expect(notFound.text).not.toContain('ada');
    expect(errorOf(await fetchAnonymously('/profile'))).toMatchObject({ error: 'not_found' });
  });

  it('remains a single record after concurrent saves', async () => {
    await Promise.all([save({ name: 'Ada' }), save({ name: 'Ada' }), save({ name: 'Ada' })]);
    expect(await dataAt(pda, 'profile/me')).toStrictEqual([{ name: 'Ada' }]);
  });

  it('is saved while its previous record is deleted', async () => {
    await save({ name: 'Ada' });
    const otherConnection = new Sqlite(join(pda.home, 'pda.sqlite'));
    otherConnection.exec('BEGIN IMMEDIATE');
    // Both requests wait for the writer, the deletion first.
    const deletion = pda.call('DELETE', '/api/v2.6/data/profile/me');
    await pda.call('GET', PATH);
    const savedProfile = pda.call('PUT', PATH, { json: { name: 'Ada', place: 'Ockham' } });
    await pda.call('GET', PATH);
    otherConnection.exec('ROLLBACK');
    otherConnection.close();
    expect((await deletion).status).toBe(200);
    expect(profileOf(await savedProfile).values).toEqual({ name: 'Ada', place: 'Ockham' });
  });

  it('is a record that applications read with consent, and saving it publishes nothing', async () => {
    await save({ name: 'Ada L.', about: 'Counts.', email: 'ada@example.org' });
    expect(await dataAt(pda, 'profile/me')).toStrictEqual([
      { name: 'Ada L.', about: 'Counts.', email: 'ada@example.org' },
    ]);
    const token = await setUpApplication(pda, 'reader');
    const readReply = await pda.call('GET', '/api/v2.6/data/profile/me', { token });
    expect(readReply.status).toBe(200);
    expect((await fetchJson()).status).toBe(404);
    expect((await fetchPage()).status).toBe(404);
  });

  it('keeps unknown fields and the id of the record, and publishes only fields that have a switch', async () => {
    const [previousRecord] = (await pda.call('GET', '/api/v2.6/data/profile/me')).json as { recordId: string }[];
    const data = { name: 'Ada L.', shoeSize: 'size thirty', password: 'hunter2' };
    await pda.call('PUT', '/api/v2.6/data', {
      json: [{ endpoint: 'profile/me', recordId: previousRecord?.recordId ?? '', data }],
    });
    const profile = await save({ name: 'Ada', headline: 'Analyst' });
    expect(profile.recordId).toBe(previousRecord?.recordId);
    expect(await dataAt(pda, 'profile/me')).toStrictEqual([
      { name: 'Ada', shoeSize: 'size thirty', password: 'hunter2', headline: 'Analyst' },
    ]);
    for (const field of ['name', 'headline', 'about', 'place', 'email', 'phone', 'website', 'birthday'])
      await setPublic(field);
    for (const reply of [await fetchJson(), await fetchPage()]) {
      expect(reply.status).toBe(200);
      expect(reply.text).not.toMatch(/hunter2|thirty|password|shoe/u);
    }
    await makeAllPrivate();
  });

  it.each([
    { website: 'javascript:alert(1)' },
    { email: 'invalid' },
    { birthday: 'yesterday' },
    { name: 'x'.repeat(101) },
    { headline: 'two\nlines' },
    { shoeSize: '38' },
  ])('refuses %j and changes nothing', async (values) => {
    const originalData = await dataAt(pda, 'profile/me');
    expect((await pda.call('PUT', PATH, { json: values })).status).toBe(400);
    expect(await dataAt(pda, 'profile/me')).toStrictEqual(originalData);
  });
});

describe('the public profile', () => {
  it('contains each field while its switch is on, even after a restart', async () => {
    await save({ name: 'Ada', place: 'London', phone: '+44 1' });
    expect((await setPublic('name')).public).toStrictEqual(['name']);
    await setPublic('place');
    expect((await fetchJson()).json).toMatchObject({
      profile: [{ endpoint: 'profile/me', data: { name: 'Ada', place: 'London' } }],
    });
    expect((await fetchPage()).text).toMatch(/<h1>Ada<\/h1>.*London/su);
    await pda.restart();
    const { text } = await fetchPage();
    expect(text).toMatch(/<h1>Ada<\/h1>.*London/su);
    expect(text).not.toContain('+44');
    await setPublic('place', false);
    expect((await fetchPage()).text).not.toContain('London');
    expect((await fetchJson()).text).not.toContain('London');
    await setPublic('name', false);
    expect([(await fetchJson()).status, (await fetchPage()).status]).toStrictEqual([404, 404]);
  });

  it('equals the preview that the owner sees', async () => {
    await save({ name: 'Ada', headline: 'Analyst' });
    const { page: ownerView } = await setPublic('headline');
    expect((await fetchPage()).text.replace('localhost', 'ada')).toBe(ownerView);
    await makeAllPrivate();
  });

  it('escapes user input and loads no external resources', async () => {
    const maliciousText = '<script>alert(1)</script>"><img src=x onerror=alert(1)>';
    const [record] = (await pda.call('GET', '/api/v2.6/data/profile/me')).json as { recordId: string }[];
    const data = {
      name: maliciousText,
      headline: maliciousText,
      about: maliciousText,
      email: `a@b.c"${maliciousText}`,
      website: 'javascript:alert(1)',
      birthday: maliciousText,
    };
    await pda.call('PUT', '/api/v2.6/data', {
      json: [{ endpoint: 'profile/me', recordId: record?.recordId ?? '', data }],
    });
    for (const field of Object.keys(data)) await setPublic(field);
    const { text, headers } = await fetchPage();
    expect(text).not.toMatch(/<script|<img|href="javascript/iu);
    expect(text).toContain('&lt;script&gt;');
    const policy = String(headers['content-security-policy']);
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; img-src 'self'; base-uri 'none'/u);
    expect(headers).toMatchObject({
      'x-robots-tag': 'noindex',
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      'cross-origin-resource-policy': 'same-origin',
    });
    await makeAllPrivate();
    await save({ name: 'Ada' });
  });

  it('is in the language of the caller', async () => {
    await save({ name: 'Ada', place: 'Paris' });
    await setPublic('place');
    expect((await fetchAnonymously('/profile', { 'accept-language': 'de-AT,en' })).text).toContain('<dt>Ort</dt>');
    expect((await fetchAnonymously('/profile', { 'accept-language': 'fr' })).text).toContain('<dt>Place</dt>');
    await makeAllPrivate();
  });

  it('contains notes that are marked public, once notes are switched on', async () => {
    await pda.call('POST', '/api/v2.6/data/profile/notables', {
      json: [{ text: 'Out on Friday', public: true }, { text: 'Diary', public: false }, { text: 'Draft' }],
    });
    expect((await fetchPage()).status).toBe(404);
    expect((await setPublic('notables')).notables).toBe(1);
    expect((await fetchJson()).json).toMatchObject({ notables: [{ data: { text: 'Out on Friday', public: true } }] });
    const { text } = await fetchPage();
    expect(text).toContain('Out on Friday');
    expect(text).not.toMatch(/Diary|Draft/u);
    await makeAllPrivate();
  });

  it('is replaced by a stored bundle named phata while the bundle exists', async () => {
    await pda.call('POST', '/api/v2.6/data/books/read', { json: [{ title: 'Sketch', stars: 5 }] });
    const bundle = { books: { endpoints: [{ endpoint: 'books/read', mapping: { title: 'title' } }] } };
    await pda.call('POST', '/api/v2.6/data-bundle/phata', { json: bundle });
    expect((await fetchJson()).json).toStrictEqual({
      books: [{ endpoint: 'books/read', recordId: expect.any(String), data: { title: 'Sketch' } }],
    });
    expect((await fetchPage()).text).toContain('Sketch');
    const profile = profileOf(await pda.call('GET', PATH));
    expect(profile.bundle).toBe(true);
    expect(profile.page).toContain('Sketch');
    expect((await pda.call('GET', '/api/v2.6/owner/exposure')).json).toMatchObject({ open: { profile: 1 } });
    // An application with the role `owner` cannot change the public profile.
    const token = await setUpApplication(pda, 'helper');
    expect((await pda.call('DELETE', '/api/v2.6/data-bundle/phata', { token })).status).toBe(403);
    expect((await fetchJson()).status).toBe(200);
    await pda.call('DELETE', '/api/v2.6/data-bundle/phata');
    expect((await fetchJson()).status).toBe(404);
    for (const method of ['POST', 'PUT'])
      expect((await pda.call(method, '/api/v2.6/data-bundle/phata', { token, json: bundle })).status).toBe(403);
    expect((await pda.call('PUT', '/api/v2.6/data-bundle/other', { token, json: bundle })).status).toBe(200);
    expect((await fetchJson()).status).toBe(404);
  });

  it('counts as open to others', async () => {
    const countOpen = async () => Object((await pda.call('GET', '/api/v2.6/owner/exposure')).json).open.profile;
    expect(await countOpen()).toBe(0);
    await setPublic('name');
    expect(await countOpen()).toBe(1);
    await makeAllPrivate();
  });
});

describe('the access history', () => {
  it('combines identical anonymous reads within an hour into one entry, and logs no reads by the owner', async () => {
    await save({ name: 'Ada' });
    await setPublic('name');
    const previousRows = await readLog();
    pda.clock.advance(3_600_000);
    await pda.call('GET', '/api/v2.6/phata/profile');
    await pda.call('GET', '/profile');
    await pda.call('GET', PATH);
    expect((await readLog()).length).toBe(previousRows.length);
    for (let n = 0; n < 5; n += 1) await fetchPage();
    await fetchJson();
    const newRows = (await readLog()).slice(0, (await readLog()).length - previousRows.length);
    expect(
      newRows.map(({ action, count, records, fields, who }) => [action, count, records, fields, who.kind]),
    ).toStrictEqual([
      ['GET /api/v2.6/phata/profile', 1, 1, ['name'], 'visitor'],
      ['GET /profile', 5, 1, ['name'], 'visitor'],
    ]);
    const { recordId } = profileOf(await pda.call('GET', PATH));
    const recordReply = await pda.call('GET', `/api/v2.6/owner/ledger?record=${recordId}&take=10`);
    expect(ledgerPageSchema.parse(recordReply.json).rows.some(({ action }) => action === 'GET /profile')).toBe(true);
    await makeAllPrivate();
  });
});

describe('the photo', () => {
  it('is refused if its upload is cancelled before it is complete', async () => {
    const { files } = pda.pda.fileModule;
    const complete = files.complete.bind(files);
    const completeSpy = vi.spyOn(files, 'complete').mockImplementationOnce(async (fileId, caller) => {
      await files.abandonUpload(fileId);
      return complete(fileId, caller);
    });
    expect(errorOf(await putPhoto(buildPng())).error).toBe('wrong_state');
    completeSpy.mockRestore();
    expect(profileOf(await pda.call('GET', PATH)).photo).toBeNull();
  });

  const listPhotoFiles = (): string[] => {
    const folder = join(pda.home, 'files', 'profile');
    return existsSync(folder) ? readdirSync(folder) : [];
  };

  it.each([
    ['PNG', buildPng()],
    ['JPEG', buildJpeg()],
  ])('is stored from a %s without location, comments or trailing bytes', async (_, bytes) => {
    const { photo } = profileOf(await putPhoto(bytes));
    expect(photo).not.toBeNull();
    const [name = ''] = listPhotoFiles();
    const storedPhoto = readFileSync(join(pda.home, 'files', 'profile', name));
    expect(storedPhoto.length).toBeGreaterThan(60);
    expect(storedPhoto.includes('GPS')).toBe(false);
    expect(bytes.includes('GPS')).toBe(true);
    if (name.endsWith('.jpg')) expect(storedPhoto.includes(SCAN)).toBe(true);
    expect(listPhotoFiles()).toHaveLength(1);
  });

  it('is served only while it is public', async () => {
    await save({ name: 'Ada' });
    await setPublic('name');
    const { photo } = profileOf(await putPhoto(buildPng(4, 4)));
    const address = `/api/v2.6/files/content/${photo?.fileId ?? ''}`;
    expect((await fetchPage()).text).not.toContain('<img');
    expect((await fetchAnonymously(address)).status).toBe(404);
    await setPublic('photo');
    expect((await fetchPage()).text).toContain(`<img src="${address}"`);
    expect((await fetchJson()).json).toMatchObject({ profile: [{ data: { name: 'Ada', photo: photo?.fileId } }] });
    const signedUrl = String((await fetchAnonymously(address)).headers['location']);
    const photoReply = await fetchAnonymously(signedUrl.replace(/^https?:\/\/[^/]+/u, ''));
    expect([photoReply.status, photoReply.headers['content-type']]).toStrictEqual([200, 'image/png']);
    expect(photoReply.body.includes('GPS')).toBe(false);
    // A new photo is as public as the replaced one.
    const nextProfile = profileOf(await putPhoto(buildPng(6, 6)));
    expect(nextProfile.public).toContain('photo');
    expect((await fetchAnonymously(address)).status).toBe(404);
    await setPublic('photo', false);
    const nextAddress = `/api/v2.6/files/content/${nextProfile.photo?.fileId ?? ''}`;
    expect((await fetchAnonymously(nextAddress)).status).toBe(404);
    expect((await fetchPage()).text).not.toContain('<img');
    await makeAllPrivate();
  });

  it('is recorded in the access history when it is replaced or removed, but only while it is public', async () => {
    const readActions = async () =>
      (await readLog()).flatMap(({ action, consent }) =>
        action.endsWith('/profile/photo') ? [[action, consent]] : [],
      );
    const previousCount = (await readActions()).length;
    const readNewActions = async () => (await readActions()).slice(0, (await readActions()).length - previousCount);
    await putPhoto(buildPng(3, 3));
    await pda.call('DELETE', `${PATH}/photo`);
    await putPhoto(buildPng(3, 3));
    expect(await readNewActions()).toEqual([]);
    await setPublic('photo');
    profileOf(await putPhoto(buildPng(5, 5)));
    profileOf(await pda.call('DELETE', `${PATH}/photo`));
    const consent = { kind: 'profile', name: 'photo', detail: 'public' };
    expect(await readNewActions()).toEqual([
      [`DELETE ${PATH}/photo`, consent],
      [`PUT ${PATH}/photo`, consent],
    ]);
    await putPhoto(buildPng(3, 3));
  });

  it('remains a single file after two concurrent uploads', async () => {
    await Promise.all([putPhoto(buildPng(8, 8)), putPhoto(buildPng(10, 10))]);
    expect(listPhotoFiles()).toHaveLength(1);
  });

  it('can be removed, and then cannot be published', async () => {
    expect(profileOf(await pda.call('DELETE', `${PATH}/photo`)).photo).toBeNull();
    expect(listPhotoFiles()).toStrictEqual([]);
    expect(errorOf(await pda.call('PUT', `${PATH}/public`, { json: { field: 'photo', public: true } })).error).toBe(
      'wrong_state',
    );
    expect(await dataAt(pda, 'profile/me')).toStrictEqual([{ name: 'Ada' }]);
  });

  it.each([
    ['text', Buffer.from('hello')],
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['a truncated picture', buildJpeg().subarray(0, 150)],
    ['a truncated PNG', buildPng().subarray(0, 60)],
    ['a picture that is too large', buildJpeg(5000, 10)],
    ['a picture of 0 by 0 pixels', buildPng(0, 0)],
    ['only marker bytes', Buffer.alloc(1000, 0xff)],
  ])('cannot be %s', async (_, bytes) => {
    expect((await putPhoto(bytes)).status).toBe(400);
    expect(listPhotoFiles()).toStrictEqual([]);
  });

  it('is private after its removal even if its file cannot be deleted, for example because another program has it open', async () => {
    const { photo } = profileOf(await putPhoto(buildPng()));
    const address = `/api/v2.6/files/content/${photo?.fileId ?? ''}`;
    await setPublic('photo');
    const db = new Sqlite(join(pda.home, 'pda.sqlite'), { readonly: true });
    const seq = db.prepare('SELECT seq FROM files WHERE file_id = ?').pluck().get(photo?.fileId);
    db.close();
    // A folder in place of the target makes the deletion fail on every system.
    const obstacle = join(pda.home, 'removed', String(seq));
    mkdirSync(obstacle);
    expect(profileOf(await pda.call('DELETE', `${PATH}/photo`)).photo).toBeNull();
    expect((await fetchAnonymously(address)).status).toBe(404);
    rmdirSync(obstacle);
  });
});
