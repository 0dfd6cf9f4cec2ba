import { type ReactNode, useState } from 'react';
import { SideDrawer, stepTo } from './side-drawer.tsx';

/** What the page that lists them says of it. */
export interface DrawerProps<Item> {
  id: string | null;
  known: Item | undefined;
  before: Item | undefined;
  after: Item | undefined;
  open: (id: string) => void;
  close: () => void;
}

export interface ContentProps<Item> {
  id: string;
  /** What the list knows of it, until all of it is here. */
  known: Item | undefined;
  isEditing: boolean;
  edit: () => void;
  done: () => void;
  close: () => void;
}

interface ItemDrawerProps<Item> extends DrawerProps<Item> {
  idOf: (item: Item) => string;
  words: { title: string; previous: string; next: string };
  editTitle: string;
  size?: string;
  content: (props: ContentProps<Item>) => ReactNode;
}

/** One thing of a list, to be looked at and edited. Open while the address names it; its neighbours are a step away. */
export function ItemDrawer<Item>(props: ItemDrawerProps<Item>) {
  const { id, idOf, known, before, after, open, close, words, editTitle, size, content: Content } = props;
  const [editing, setEditing] = useState<string | null>(null);
  const isEditing = editing !== null && editing === id;
  const leave = () => {
    setEditing(null);
    close();
  };
  const step = (item: Item) => open(idOf(item));
  const steps = { previous: stepTo(words.previous, before, step), next: stepTo(words.next, after, step) };
  return (
    <SideDrawer
      opened={id !== null}
      close={leave}
      title={isEditing ? editTitle : words.title}
      {...(size === undefined ? {} : { size })}
      locked={isEditing}
      steps={isEditing ? undefined : steps}
    >
      {id !== null && (
        <Content
          key={id}
          id={id}
          known={known}
          isEditing={isEditing}
          edit={() => setEditing(id)}
          done={() => setEditing(null)}
          close={leave}
        />
      )}
    </SideDrawer>
  );
}
