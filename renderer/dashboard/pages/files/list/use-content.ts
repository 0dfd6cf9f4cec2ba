import { useState } from 'react';
import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { ownerFile } from '../../../api/files/queries.ts';
import { queryClient } from '../../../../shared/api/query-client.ts';

interface ContentSource {
  src: string | undefined;
  onError: () => void;
}

function hasExpired(url: string): boolean {
  const expires = Number(new URL(url).searchParams.get('expires'));
  return expires > 0 && expires <= Date.now();
}

/**
 * Returns the URL of a file's content; undefined if there is none or it cannot be loaded. Ignores newer URLs while the
 * file is shown, because a new URL would restart a video. Replaces an expired URL when loading fails.
 */
export function useContent({ file: { fileId, contentUrl } }: OwnerFile): ContentSource {
  const [src, setSrc] = useState(contentUrl);
  const [isBroken, setIsBroken] = useState(false);
  const onError = () => {
    if (src === undefined || !hasExpired(src)) {
      setIsBroken(true);
      return;
    }
    queryClient.fetchQuery({ ...ownerFile(fileId), staleTime: 0 }).then(
      (freshFile) => setSrc(freshFile.file.contentUrl),
      () => setIsBroken(true),
    );
  };
  return { src: isBroken ? undefined : src, onError };
}
