import { useState } from 'preact/hooks';
import { create, remove, update } from '../../data/intents.ts';
import type { List, Space } from '../../data/rows.ts';
import { addressOf } from '../../shell/addresses.ts';
import { countOf, isFirstLoad, mayWriteIn } from '../../shell/frame-view.ts';
import { hrefOf } from '../../shell/navigation.ts';
import type { ScreenProps } from '../../shell/screens.ts';
import { useUserData } from '../../shell/store.ts';
import { act } from '../../tasks/act.ts';
import { quoted } from '../../text/quoted.ts';
import { Button } from '../../ui/button.tsx';
import { type MenuItem, MoreButton, moveItems } from '../../ui/menu.tsx';
import { Nothing } from '../../ui/nothing.tsx';
import { ChoiceDialog, NameDialog } from './name-dialog.tsx';
import { OrderedList, useOrderKeys } from './ordered-list.tsx';
import { SettingsPage } from './page.tsx';
import { reorder } from './reorder.ts';

type OpenDialog =
  | { kind: 'name'; title: string; value?: string; save(name: string): void }
  | { kind: 'space' | 'statuses'; list: List };

/** Spaces and the lists in them: make, rename, order, move, delete. */
export function Spaces({ params }: ScreenProps) {
  const w = params.w ?? '';
  const { store, spaces, lists, templates } = useUserData();
  const [dialog, setDialog] = useState<OpenDialog>();
  useOrderKeys();
  for (const all of [spaces, lists, templates]) all.revision.value;
  const may = mayWriteIn(w);
  const own = spaces.rows.filter(({ workspaceId }) => workspaceId === w);
  const inSpace = (id: string) => lists.rows.filter(({ spaceId }) => spaceId === id);
  const kinds = templates.rows.filter(({ workspaceId }) => workspaceId === w);
  const ask = (title: string, save: (name: string) => void, value?: string) =>
    setDialog({ kind: 'name', title, save, ...(value !== undefined && { value }) });
  const newSpace = () =>
    ask('New space', (title) =>
      act(`Made the space ${quoted(title)}`, [
        create('space', w, store.makeId(), { title, description: null }),
      ]),
    );
  const newList = (space: Space) =>
    ask('New list', (title) => {
      const template = kinds.find(({ isDefault }) => isDefault);
      const fields = { title, spaceId: space.id, ...(template && { statusTemplateId: template.id }) };
      act(`Made the list ${quoted(title)}`, [create('list', w, store.makeId(), fields)]);
    });
  const put = (
    kind: 'space' | 'list',
    row: Space | List,
    among: readonly (Space | List)[],
    index: number,
    to?: Space,
  ) =>
    act(
      `Moved ${quoted(row.title)}${to ? ` to ${quoted(to.title)}` : ''}`,
      reorder(kind, row, among, index, to && { spaceId: to.id }),
    );
  const moveTo = (list: List, space: Space, index = inSpace(space.id).length) =>
    put('list', list, inSpace(space.id), index, space);
  const drop = (space: Space) => (id: string, index: number) => {
    const list = lists.rows.find((one) => one.id === id);
    if (!list) return;
    if (list.spaceId === space.id) put('list', list, inSpace(space.id), index);
    else moveTo(list, space, index);
  };
  const menuOf = (
    kind: 'space' | 'list',
    row: Space | List,
    among: readonly (Space | List)[],
  ): MenuItem[] => {
    const list = kind === 'list' ? lists.rows.find(({ id }) => id === row.id) : undefined;
    const rename = (title: string) => act(`Renamed ${quoted(row.title)}`, [update(kind, row, { title })]);
    const discard = () => act(`Deleted ${quoted(row.title)}`, [remove(kind, row)]);
    const more: MenuItem[] = [];
    if (list && own.length > 1)
      more.push({ title: 'Move to…', icon: 'move', run: () => setDialog({ kind: 'space', list }) });
    if (list && kinds.length > 1)
      more.push({ title: 'Statuses…', icon: 'status', run: () => setDialog({ kind: 'statuses', list }) });
    return [
      { title: 'Rename', icon: 'pencil', run: () => ask('Rename', rename, row.title) },
      ...moveItems(among.indexOf(row), among.length, (index) => put(kind, row, among, index)),
      ...more,
      { title: 'Delete', icon: 'trash', isDanger: true, startsGroup: true, run: discard },
    ];
  };
  const close = () => setDialog(undefined);
  return (
    <SettingsPage
      title="Spaces and lists"
      w={w}
      note="The first list of the first space is the Inbox: what names no list goes there."
      tools={
        may && (
          <Button onClick={newSpace} icon="plus">
            New space
          </Button>
        )
      }
    >
      {own.length === 0 && !isFirstLoad.value && (
        <Nothing icon="layers">No spaces yet. A space holds lists, and lists hold tasks.</Nothing>
      )}
      <OrderedList
        label="Spaces"
        kind="space"
        class="spaces"
        rows={own}
        isFixed={!may}
        onMove={(id, index) => {
          const space = own.find((one) => one.id === id);
          if (space) put('space', space, own, index);
        }}
      >
        {(space) => {
          const inside = inSpace(space.id);
          return (
            <section class="space" aria-label={space.title}>
              <div class="part-line">
                <h2 class="cut" dir="auto">
                  {space.title}
                </h2>
                <span class="count">{inside.length > 0 && inside.length}</span>
                {may && (
                  <span class="line push">
                    <Button class="plain" onClick={() => newList(space)} icon="plus" isSmall>
                      New list
                    </Button>
                    <MoreButton label={`More for ${space.title}`} items={() => menuOf('space', space, own)} />
                  </span>
                )}
              </div>
              <OrderedList
                label={`Lists in ${space.title}`}
                kind="list"
                rows={inside}
                isFixed={!may}
                onMove={drop(space)}
              >
                {(list) => (
                  <>
                    <a
                      class="plain-link cut"
                      dir="auto"
                      href={hrefOf(addressOf('list', { w, listId: list.id }))}
                    >
                      {list.title}
                    </a>
                    <span class="quiet push">{openWords(countOf(list.id) ?? 0)}</span>
                    {may && (
                      <MoreButton
                        label={`More for ${list.title}`}
                        items={() => menuOf('list', list, inside)}
                      />
                    )}
                  </>
                )}
              </OrderedList>
              {inside.length === 0 && <p class="quiet">No lists yet.</p>}
            </section>
          );
        }}
      </OrderedList>
      {dialog?.kind === 'name' && (
        <NameDialog
          title={dialog.title}
          {...(dialog.value !== undefined && { value: dialog.value })}
          onSave={dialog.save}
          onClose={close}
        />
      )}
      {dialog?.kind === 'space' && (
        <ChoiceDialog
          title="Move to…"
          label="Space"
          value={dialog.list.spaceId}
          options={own.map(({ id, title }) => ({ value: id, title }))}
          onSave={(id) => {
            const space = own.find((one) => one.id === id);
            if (space) moveTo(dialog.list, space);
          }}
          onClose={close}
        />
      )}
      {dialog?.kind === 'statuses' && (
        <ChoiceDialog
          title="Statuses"
          label="Statuses"
          value={dialog.list.statusTemplateId}
          options={kinds.map(({ id, title }) => ({ value: id, title }))}
          onSave={(statusTemplateId) =>
            act(`Changed the statuses of ${quoted(dialog.list.title)}`, [
              update('list', dialog.list, { statusTemplateId }),
            ])
          }
          onClose={close}
        />
      )}
    </SettingsPage>
  );
}

const openWords = (count: number): string => (count > 0 ? `${count} open` : '');
