import type { ReactNode } from 'react';
import { SideDrawer, stepTo } from './side-drawer.tsx';

export interface ItemDrawerState<Item> {
  id: string | null;
  item: Item | undefined;
  previous: Item | undefined;
  next: Item | undefined;
  open: (id: string) => void;
  close: () => void;
  editedId: string | null;
  setEditedId: (id: string | null) => void;
}

export interface ItemContentProps<Item> {
  id: string;
  /** The item as loaded by the list, to show until the details have loaded; undefined if the list has not loaded it. */
  item: Item | undefined;
  isEditing: boolean;
  edit: () => void;
  stopEditing: () => void;
  close: () => void;
}

interface ItemDrawerProps<Item> extends ItemDrawerState<Item> {
  idOf: (item: Item) => string;
  texts: { title: string; previous: string; next: string };
  editTitle: string;
  size?: string;
  content: (props: ItemContentProps<Item>) => ReactNode;
}

/** Shows and edits a list item, with steps to its neighbours. Open unless `id` is null. */
export function ItemDrawer<Item>(props: ItemDrawerProps<Item>) {
  const { id, idOf, item, previous, next, open, close, editedId, setEditedId } = props;
  const { texts, editTitle, size, content: Content } = props;
  const isEditing = editedId !== null && editedId === id;
  const stopEditingAndClose = () => {
    setEditedId(null);
    close();
  };
  const step = (neighbour: Item) => open(idOf(neighbour));
  const steps = { previous: stepTo(texts.previous, previous, step), next: stepTo(texts.next, next, step) };
  return (
    <SideDrawer
      opened={id !== null}
      close={stopEditingAndClose}
      title={isEditing ? editTitle : texts.title}
      {...(size === undefined ? {} : { size })}
      isLocked={isEditing}
      steps={isEditing ? undefined : steps}
      edit={isEditing ? undefined : () => setEditedId(id)}
    >
      {id !== null && (
        <Content
          key={id}
          id={id}
          item={item}
          isEditing={isEditing}
          edit={() => setEditedId(id)}
          stopEditing={() => setEditedId(null)}
          close={stopEditingAndClose}
        />
      )}
    </SideDrawer>
  );
}
