import type { FileHandle } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../../platform/failure.ts';
import type { FileRow } from '../store.ts';
import { findOpenableFiles } from './archive.ts';

const rowOf = (name: string) => ({ name }) as FileRow;
const diskError = (code: string) => Object.assign(new Error('the disk refuses'), { code });

/** @param errors error by name of a file that cannot be opened */
const findOpenable = async (errors: Readonly<Record<string, Error>>): Promise<string[]> => {
  const open = ({ name }: FileRow): Promise<FileHandle> => {
    const error = errors[name];
    return error === undefined
      ? Promise.resolve({ close: () => Promise.resolve() } as FileHandle)
      : Promise.reject(error);
  };
  return (await findOpenableFiles([rowOf('a'), rowOf('b'), rowOf('c')], open)).map(({ name }) => name);
};

describe('the files of an archive', () => {
  it.each(['EACCES', 'EPERM', 'EBUSY'])('exclude a file that fails with %s', async (code) => {
    expect(await findOpenable({ b: diskError(code) })).toEqual(['a', 'c']);
  });

  it('exclude a missing file', async () => {
    expect(await findOpenable({ a: new Failure('not_found', 'The content is missing.') })).toEqual(['b', 'c']);
  });

  it('cannot be determined if the disk fails', async () => {
    await expect(findOpenable({ b: diskError('EIO') })).rejects.toMatchObject({ code: 'EIO' });
  });
});
