import { describe, expect, it } from 'vitest';
import { parseLoginParameters, withError } from './login-parameters.ts';
import { hashUrlOfLogin } from './plain-url.ts';

const parametersOf = (query: string) => parseLoginParameters(new URLSearchParams(query));

describe('login URL', () => {
  it('names the application, redirect URL and fallback', () => {
    expect(parametersOf('name=notes&redirect=https%3A%2F%2Fa.example%2F%3Fx%3D1&fallback=b')).toStrictEqual({
      name: 'notes',
      redirect: 'https://a.example/?x=1',
      fallback: 'b',
    });
  });

  it('accepts alternative parameter names, case-insensitively', () => {
    const expected = { name: 'notes', redirect: 'r', fallback: undefined };
    expect(parametersOf('application_id=notes&redirect_uri=r')).toStrictEqual(expected);
    expect(parametersOf('Application_ID=notes&REDIRECT=r&name=')).toStrictEqual(expected);
  });

  it('uses the first of repeated parameters', () => {
    expect(parametersOf('redirect=good&redirect=evil&Redirect=evil').redirect).toBe('good');
  });

  it('prefers a parameter to its alternative name', () => {
    expect(parametersOf('redirect_uri=evil&redirect=good').redirect).toBe('good');
  });

  it.each(['/pdalogin', '/hatlogin', '/pdalogin/', '/PDALOGIN'])('maps the plain path %s to the hash route', (path) => {
    expect(hashUrlOfLogin(path, '?name=a&redirect=b%26c')).toBe('/#/pdalogin?name=a&redirect=b%26c');
  });

  it.each(['/', '/pdalogin/x', '/x/pdalogin', '/pdaloginx', '/data'])('ignores other paths: %s', (path) => {
    expect(hashUrlOfLogin(path, '?name=a')).toBeUndefined();
  });
});

it('withError replaces an existing error and reason', () => {
  expect(withError('https://a.example/?x=1&error=a&error_reason=b', 'pda_exception', 'c')).toBe(
    'https://a.example/?x=1&error=pda_exception&error_reason=c',
  );
  expect(withError('app://x?error=a&error_reason=b', 'pda_exception', 'c')).toBe(
    'app://x?error=pda_exception&error_reason=c',
  );
});
