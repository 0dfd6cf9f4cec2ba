import { Box, CloseButton, Flex, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { QueryBoundary } from '../../../../../shared/feedback/query-boundary.tsx';
import { m } from '../../../../../shared/messages/texts.ts';

const texts = m.charts.map;

interface PlacePanelProps<Page extends { total: number }> {
  heading: string;
  /** Newest items first. */
  query: UseQueryResult<Page>;
  countListed: (page: Page) => number;
  children: (page: Page) => ReactNode;
  onClose: () => void;
}

/** Lists items that are so close together that zooming in would not separate them. */
export function PlacePanel<Page extends { total: number }>(props: PlacePanelProps<Page>) {
  const { heading, query, countListed, children, onClose } = props;
  return (
    <Box component="section" p="md" bd="1px solid var(--hairline)" bdrs="sm" aria-label={heading}>
      <Flex component="header" align="center" justify="space-between" gap="md">
        <Text size="md" component="h3" fw={500}>
          {heading}
        </Text>
        <CloseButton aria-label={texts.close} onClick={onClose} />
      </Flex>
      <QueryBoundary query={query} rows={4} />
      {query.data !== undefined && (
        <>
          {children(query.data)}
          {query.data.total > countListed(query.data) && (
            <Text c="dimmed" mt="sm">
              {texts.newest(countListed(query.data))}
            </Text>
          )}
        </>
      )}
    </Box>
  );
}
