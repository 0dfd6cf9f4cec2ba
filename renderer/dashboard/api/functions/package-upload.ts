import { MAX_FUNCTION_PACKAGE_BYTES } from '../../../../server/wire/limits.ts';
import type { OwnerFunction } from '../../../shared/api/contract.ts';
import { Problem, readProblem } from '../../../shared/api/problem.ts';
import { currentLanguage } from '../../../shared/format/languages.ts';
import { currentToken, endRefusedSession, renewToken, currentSessionNumber } from '../../../shared/api/session.ts';

const PACKAGES_URL = '/api/v2.6/owner/functions/packages';

type PackageProblem = 'no zip' | 'too large' | 'empty';

export function findPackageProblem({ name, size }: Pick<File, 'name' | 'size'>): PackageProblem | undefined {
  if (!/\.zip$/i.test(name)) return 'no zip';
  if (size === 0) return 'empty';
  return size > MAX_FUNCTION_PACKAGE_BYTES ? 'too large' : undefined;
}

function toResponse(request: XMLHttpRequest): Response {
  const headers = new Headers();
  for (const name of ['content-language', 'retry-after']) {
    const header = request.getResponseHeader(name);
    if (header !== null) headers.set(name, header);
  }
  return new Response(request.responseText, { status: request.status, headers });
}

/** Uploads a package with XMLHttpRequest, because fetch does not report upload progress. @throws {Problem} */
export function uploadPackage(file: File, onProgress: (bytes: number) => void): Promise<OwnerFunction> {
  const token = currentToken();
  const sessionOfRequest = currentSessionNumber();
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', PACKAGES_URL);
    request.setRequestHeader('accept-language', currentLanguage());
    request.setRequestHeader('content-type', 'application/zip');
    if (token !== null) request.setRequestHeader('x-auth-token', token);
    request.upload.addEventListener('progress', ({ loaded }) => onProgress(Math.min(loaded, file.size)));
    request.addEventListener('error', () => reject(new Problem('unreachable', 0, '')));
    request.addEventListener('load', () => {
      const renewedToken = request.getResponseHeader('x-auth-token');
      if (renewedToken !== null && token !== null) renewToken(sessionOfRequest, renewedToken);
      if (request.status !== 201) {
        if (request.status === 401) endRefusedSession(sessionOfRequest);
        void readProblem(toResponse(request)).then(reject);
        return;
      }
      try {
        resolve(JSON.parse(request.responseText) as OwnerFunction);
      } catch {
        reject(new Problem('unreadable', request.status, ''));
      }
    });
    request.send(file);
  });
}
