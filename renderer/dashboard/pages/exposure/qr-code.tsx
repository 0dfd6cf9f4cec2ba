import encode from 'qr';
import { m } from '../../../shared/messages/texts.ts';
import classes from './qr-code.module.css';

/** Quiet zone that scanners need to detect the code. */
const QUIET_ZONE_MODULES = 4;

/** Returns one SVG path for all dark modules. Adjacent modules in a row form one rectangle. */
function pathOf(rows: readonly (readonly boolean[])[]): string {
  let path = '';
  for (const [y, row] of rows.entries()) {
    for (let x = 0; x < row.length; x += 1) {
      if (row[x] !== true) continue;
      const start = x;
      while (row[x + 1] === true) x += 1;
      path += `M${start} ${y}h${x - start + 1}v1H${start}z`;
    }
  }
  return path;
}

/** Dark on white in both colour schemes, because many scanners cannot read inverted codes. */
export function QrCode({ uri, label = m.exposure.address.code(uri) }: { uri: string; label?: string }) {
  const rows = encode(uri, 'raw', { ecc: 'medium', border: QUIET_ZONE_MODULES });
  return (
    <svg
      className={classes.code}
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <rect width="100%" height="100%" fill="#ffffff" />
      <path d={pathOf(rows)} fill="#211f1b" />
    </svg>
  );
}
