import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useParams, useSearchParams } from 'react-router';
import { GUEST_PATH } from '../../../../../server/wire/invitations.ts';
import { isolateText } from '../../../../../server/wire/isolation.ts';
import { Callout } from '../../../../shared/components/callout.tsx';
import { LoadError, LoadingSkeleton } from '../../../../shared/feedback/states.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { users } from '../../../api/account/users.ts';
import { guestPreview } from '../../../api/sharing/guest-preview.ts';
import { Page } from '../../../components/page.tsx';
import { guestPreviewPath } from '../../../navigation.ts';
import classes from './guest-preview-page.module.css';

const words = m.sharing.guestPreview;

/** Shows the pages of a guest as the guest sees them. With them, the owner cannot act as the guest. */
export function GuestPreviewPage() {
  const { userId = '' } = useParams();
  const path = useSearchParams()[0].get('path') ?? GUEST_PATH;
  const guest = useQuery(users).data?.find((user) => user.userId === userId);
  const result = useQuery(guestPreview(userId, path));
  const title = guest === undefined ? words.view : words.title(isolateText(guest.name));
  return (
    <Page title={title} windowTitle={title} crumbs={[{ label: m.sharing.pageTitle, to: '/sharing' }]} lead={words.lead}>
      {guest?.enabled === false && <Callout tone="attention" title={words.locked(isolateText(guest.name))} />}
      {result.isPending && <LoadingSkeleton rows={8} height={24} />}
      {result.isError && <LoadError error={result.error} retry={() => void result.refetch()} />}
      {result.data !== undefined && <GuestFrame html={result.data.html} userId={userId} title={title} />}
    </Page>
  );
}

/** Returns the page with links that a frame without scripts can follow. */
function withFrameLinks(html: string, userId: string): string {
  const page = new DOMParser().parseFromString(html, 'text/html');
  for (const link of page.querySelectorAll('a')) {
    const address = link.getAttribute('href') ?? '';
    if (address.startsWith(GUEST_PATH)) {
      link.setAttribute('href', `${location.pathname}#${guestPreviewPath(userId, address)}`);
      link.setAttribute('target', '_top');
    } else {
      link.setAttribute('target', '_blank');
      link.setAttribute('rel', 'noopener');
    }
  }
  return `<!doctype html>${page.documentElement.outerHTML}`;
}

function GuestFrame({ html, userId, title }: { html: string; userId: string; title: string }) {
  const page = useMemo(() => withFrameLinks(html, userId), [html, userId]);
  return (
    <iframe
      className={classes.frame}
      title={title}
      srcDoc={page}
      sandbox="allow-same-origin allow-top-navigation-by-user-activation allow-popups allow-popups-to-escape-sandbox allow-downloads"
    />
  );
}
