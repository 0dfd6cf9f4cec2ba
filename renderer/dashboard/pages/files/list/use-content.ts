import { useState } from 'react';
import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { ownerFile } from '../../../api/files/queries.ts';
import { queryClient } from '../../../../shared/api/query-client.ts';

interface Content {
  src: string | undefined;
  /** What is there cannot be shown. */
  isBroken: boolean;
  onError: () => void;
}

function hasExpired(address: string): boolean {
  const expires = Number(new URL(address).searchParams.get('expires'));
  return expires > 0 && expires <= Date.now();
}

/**
 * URL of a file's content. It stays the same while the file is shown, even if the list brings newer ones: a new URL would
 * restart a film. An expired URL is replaced when it fails.
 */
export function useContent({ file: { fileId, contentUrl } }: OwnerFile): Content {
  const [src, setSrc] = useState(contentUrl);
  const [isBroken, setBroken] = useState(contentUrl === undefined);
  const onError = () => {
    if (src === undefined || !hasExpired(src)) {
      setBroken(true);
      return;
    }
    queryClient.fetchQuery({ ...ownerFile(fileId), staleTime: 0 }).then(
      (now) => setSrc(now.file.contentUrl),
      () => setBroken(true),
    );
  };
  return { src: isBroken ? undefined : src, isBroken, onError };
}
