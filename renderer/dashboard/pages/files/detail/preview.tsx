import { Anchor, Box, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { QueryBoundary } from '../../../../shared/feedback/query-boundary.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { KIND_ICONS, sizeOf, titleOf } from '../file-kinds.ts';
import classes from './preview.module.css';
import { EXCERPT_MAX_BYTES, textExcerpt } from './text-excerpt.ts';
import { useContent } from '../list/use-content.ts';
import codeBlock from '../../../../shared/components/code-block.module.css';

const texts = m.files.preview;

/**
 * Shows a file without running any of its code in the dashboard: images, audio, videos and PDFs that the PDA serves
 * inline, and text, including HTML, as plain text. Other files, such as SVG, have no preview.
 */
export function FilePreview({ file }: { file: OwnerFile }) {
  if (file.inline && file.kind === 'image') return <MediaPreview file={file} mediaKind="image" />;
  if (file.inline && file.kind === 'video') return <MediaPreview file={file} mediaKind="video" />;
  if (file.inline && file.kind === 'audio') return <MediaPreview file={file} mediaKind="audio" />;
  if (file.inline && file.contentType === 'application/pdf') return <MediaPreview file={file} mediaKind="pdf" />;
  if (file.kind === 'text') return <TextPreview file={file} />;
  return <NoPreview file={file} title={texts.none(m.files.kinds[file.kind])} text={noPreviewText(file)} />;
}

export function noPreviewText({ contentType }: OwnerFile): string {
  return contentType === 'image/svg+xml' ? texts.svgText : texts.noneText;
}

function MediaPreview({ file, mediaKind }: { file: OwnerFile; mediaKind: 'image' | 'video' | 'audio' | 'pdf' }) {
  const { src, onError } = useContent(file);
  const label = texts.label(titleOf(file));
  if (src === undefined) return <NoPreview file={file} title={texts.broken} text={texts.brokenText} />;
  switch (mediaKind) {
    case 'image':
      return (
        <div className={classes.frame}>
          <img src={src} alt={label} onError={onError} />
        </div>
      );
    case 'video':
      return (
        <div className={classes.frame}>
          <video src={src} aria-label={label} controls preload="metadata" onError={onError} />
        </div>
      );
    case 'audio':
      return (
        <audio className={classes.audio} src={src} aria-label={label} controls preload="metadata" onError={onError} />
      );
    case 'pdf':
      return (
        <div className={classes.pdf}>
          {/* Browsers do not display PDFs in a sandboxed frame. */}
          {/* The PDA serves the file only as PDF, without subresources. */}
          {/* oxlint-disable-next-line react/iframe-missing-sandbox */}
          <iframe src={`${src}#navpanes=0`} title={label} />
          <Anchor href={src} target="_blank" rel="noreferrer">
            {texts.openPdf}
          </Anchor>
        </div>
      );
  }
}

function NoPreview({ file, title, text }: { file: OwnerFile; title: string; text: string }) {
  const KindIcon = KIND_ICONS[file.kind];
  return (
    <div className={classes.noPreview}>
      <KindIcon size={32} stroke={1.25} aria-hidden="true" />
      <div>
        <Text fw={500}>{title}</Text>
        <Text c="dimmed">{text}</Text>
      </div>
    </div>
  );
}

function TextPreview({ file }: { file: OwnerFile }) {
  const text = useQuery(textExcerpt(file));
  if (text.isPending || text.isError) return <QueryBoundary query={text} rows={6} />;
  const size = sizeOf(file);
  if (size === 0) {
    return (
      <Text c="dimmed" mt="md">
        {texts.empty}
      </Text>
    );
  }
  return (
    <Box mt="md">
      <pre
        className={codeBlock.block}
        style={{ tabSize: 4 }}
        tabIndex={0}
        role="region"
        aria-label={texts.label(titleOf(file))}
      >
        {text.data}
      </pre>
      {size > EXCERPT_MAX_BYTES && (
        <Text size="xs" c="dimmed" mt="xs">
          {texts.truncated(EXCERPT_MAX_BYTES, size)}
        </Text>
      )}
    </Box>
  );
}
