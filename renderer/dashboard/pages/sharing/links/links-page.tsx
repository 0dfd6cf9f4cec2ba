import { Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconLink } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Callout } from '../../../../shared/components/callout.tsx';
import { QueryBoundary } from '../../../../shared/feedback/query-boundary.tsx';
import { EmptyState } from '../../../../shared/feedback/states.tsx';
import { showToast } from '../../../../shared/feedback/toasts.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { ConfirmDialog } from '../../../../shared/overlay/confirm.tsx';
import { useBaseUrl } from '../../../api/queries.ts';
import { revokeAllShareLinks, shareLinks } from '../../../api/files/share-links.ts';
import { Page } from '../../../components/page.tsx';
import { EXPOSURE_PATH } from '../../../navigation.ts';
import { ShareLinkList } from '../../../share-links/share-link-list.tsx';
import { TextLink } from '../../../../shared/components/text-link.tsx';

const texts = m.shareLinks;

export function LinksPage() {
  const query = useQuery(shareLinks);
  const { isPublic } = useBaseUrl();
  const links = query.data ?? [];
  const hasLinks = links.length > 0;
  return (
    <Page title={texts.pageTitle} lead={hasLinks ? texts.lead : undefined}>
      <QueryBoundary query={query} rows={4} height={48} />
      {query.data !== undefined && !hasLinks && (
        <EmptyState
          icon={IconLink}
          title={texts.empty.title}
          actions={
            <Button component={Link} to="/files" variant="default">
              {texts.empty.go}
            </Button>
          }
        >
          {texts.empty.text}
        </EmptyState>
      )}
      {hasLinks && !isPublic && (
        <Callout tone="attention" action={<TextLink to={EXPOSURE_PATH}>{texts.setAddress}</TextLink>}>
          {texts.onlyHere}
        </Callout>
      )}
      {hasLinks && <ShareLinkList links={links} />}
      {links.length > 1 && <RevokeAllButton count={links.length} />}
    </Page>
  );
}

function RevokeAllButton({ count }: { count: number }) {
  const [isConfirming, dialog] = useDisclosure(false);
  const revoke = async () => {
    await revokeAllShareLinks();
    showToast(texts.revokeAll.done);
  };
  return (
    <Group mt="lg">
      <Button variant="default" c="var(--stop)" onClick={dialog.open}>
        {texts.revokeAll.action}
      </Button>
      <ConfirmDialog
        opened={isConfirming}
        close={dialog.close}
        title={texts.revokeAll.title}
        cancelLabel={texts.revokeAll.keep}
        confirmLabel={texts.revokeAll.submit}
        onConfirm={revoke}
      >
        <Text>{texts.revokeAll.text(count)}</Text>
      </ConfirmDialog>
    </Group>
  );
}
