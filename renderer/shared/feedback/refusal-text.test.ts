import { describe, expect, it } from 'vitest';
import { requestFieldName, refusalText } from './refusal-text.ts';

const labels = { fields: { folder: 'Folder' }, entry: (number: number) => `Entry ${number}`, address: 'Address' };

describe('requestFieldName', () => {
  it('uses the page’s label for a field, if there is one', () => {
    expect(requestFieldName('body.folder', labels)).toBe('Folder');
    expect(requestFieldName('body.settings.folder', labels)).toBe('Folder');
  });

  it('counts list entries from one', () => {
    expect(requestFieldName('body.2.data.name', labels)).toBe('Entry 3, data.name');
    expect(requestFieldName('body.0', labels)).toBe('Entry 1');
  });

  it('omits the first path segment', () => {
    expect(requestFieldName('body', labels)).toBe('');
    expect(requestFieldName('query.orderBy', labels)).toBe('orderBy');
  });

  it('labels every URL path parameter as the address', () => {
    expect(requestFieldName('path.recordId', labels)).toBe('Address');
  });

  it('does not use inherited object properties as labels', () => {
    expect(requestFieldName('body.constructor', labels)).toBe('constructor');
  });
});

describe('refusalText', () => {
  it('lists each problem once, with its field name', () => {
    const details = [
      { path: 'body.folder', problem: 'is empty' },
      { path: 'body.other', problem: 'is missing' },
    ];
    expect(refusalText({ message: 'body.folder: is empty', details }, labels)).toBe(
      'Folder: is empty. other: is missing.',
    );
  });

  it('keeps the server’s sentence and adds only missing details', () => {
    const details = [{ path: 'body.password', problem: 'too easy to guess' }];
    expect(refusalText({ message: 'This password is too easy to guess.', details }, labels)).toBe(
      'This password is too easy to guess.',
    );
    expect(refusalText({ message: 'Nothing was changed', details }, labels)).toBe(
      'Nothing was changed. password: too easy to guess.',
    );
  });
});
