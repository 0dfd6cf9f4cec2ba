import type { ReactNode } from 'react';
import { useWindowTitle } from '../../components/page.tsx';
import { LanguageLinks } from '../../../shared/layout/language-links.tsx';
import { BrandMark } from '../../../shared/layout/brand-mark.tsx';
import { StepTitle } from '../../../shared/layout/step-title.tsx';
import { m } from '../../../shared/messages/texts.ts';
import classes from './login.module.css';

interface LoginFrameProps {
  title: string;
  windowTitle: string;
  /** Name of the PDA; empty if unknown. */
  pdaName: string;
  text?: ReactNode;
  picture?: ReactNode;
  wide?: boolean;
  children?: ReactNode;
}

export function LoginFrame({ title, windowTitle, pdaName, text, picture, wide = false, children }: LoginFrameProps) {
  useWindowTitle(windowTitle, pdaName);
  return (
    <main className={classes.frame}>
      <div className={classes.column} data-wide={wide || undefined}>
        <div className={classes.brand}>
          <BrandMark size={32} />
          <div>
            <div>{pdaName === '' ? m.shell.product : m.login.yourPda(pdaName)}</div>
            <div className={classes.host}>{location.host}</div>
          </div>
          <LanguageLinks />
        </div>
        <div className={classes.header}>
          {picture}
          <div>
            <StepTitle title={title} text={text} step={title} />
          </div>
        </div>
        <div className={classes.body}>{children}</div>
      </div>
    </main>
  );
}
