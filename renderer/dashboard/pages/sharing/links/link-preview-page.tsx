import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useParams, useSearchParams } from 'react-router';
import { isolateText } from '../../../../../server/wire/isolation.ts';
import { SHARE_PATH } from '../../../../../server/wire/guest-paths.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { shareLinkPreview, shareLinks } from '../../../api/files/share-links.ts';
import { linkPreviewPath, LINKS_PATH } from '../../../navigation.ts';
import { PreviewPage } from '../preview-page.tsx';

const texts = m.sharing.linkPreview;
const CRUMBS = [
  { label: m.sharing.pageTitle, to: '/sharing' },
  { label: m.shareLinks.pageTitle, to: LINKS_PATH },
];

/** Returns the dashboard's path for a page of the link; undefined for other addresses. */
function pagePathOf(linkId: string, address: string): string | undefined {
  if (!address.startsWith(`${SHARE_PATH}/`)) return undefined;
  return linkPreviewPath(linkId, new URL(address, location.origin).searchParams.get('after') ?? '');
}

export function LinkPreviewPage() {
  const { linkId = '' } = useParams();
  const after = useSearchParams()[0].get('after') ?? '';
  const links = useQuery(shareLinks).data;
  const link = links?.find((candidate) => candidate.linkId === linkId);
  const result = useQuery(shareLinkPreview(linkId, after));
  useRefreshOnStateChange(links === undefined ? undefined : (link?.state ?? 'revoked'), result.refetch);
  return (
    <PreviewPage
      title={link === undefined ? texts.view : texts.title(isolateText(link.name))}
      crumbs={CRUMBS}
      lead={texts.lead}
      result={result}
      pathOf={(address) => pagePathOf(linkId, address)}
    />
  );
}

/** Refetches the preview when the link ends or reopens: a change in another tab refreshes only the list of links. */
function useRefreshOnStateChange(state: string | undefined, refetch: () => Promise<unknown>): void {
  const lastState = useRef(state);
  useEffect(() => {
    if (lastState.current !== undefined && lastState.current !== state) void refetch();
    lastState.current = state;
  }, [state, refetch]);
}
