import classes from './preview-frame.module.css';

interface PreviewFrameProps {
  /** A complete page without scripts. */
  html: string;
  title: string;
  /** Returns the dashboard's path of another previewed page; undefined for other addresses, which open in a new tab. */
  pathOf: (address: string) => string | undefined;
}

/** Shows a page as others see it, without scripts. */
export function PreviewFrame({ html, title, pathOf }: PreviewFrameProps) {
  return (
    <iframe
      className={classes.frame}
      title={title}
      srcDoc={withFrameLinks(html, pathOf)}
      sandbox="allow-same-origin allow-top-navigation-by-user-activation allow-popups allow-popups-to-escape-sandbox allow-downloads"
    />
  );
}

/** Returns the page with links that a frame without scripts can follow. */
function withFrameLinks(html: string, pathOf: PreviewFrameProps['pathOf']): string {
  const page = new DOMParser().parseFromString(html, 'text/html');
  for (const link of page.querySelectorAll('a')) {
    const path = pathOf(link.getAttribute('href') ?? '');
    if (path === undefined) {
      link.setAttribute('target', '_blank');
      link.setAttribute('rel', 'noopener');
    } else {
      link.setAttribute('href', `${location.pathname}#${path}`);
      link.setAttribute('target', '_top');
    }
  }
  return `<!doctype html>${page.documentElement.outerHTML}`;
}
