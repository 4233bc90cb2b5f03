import { useState } from 'preact/hooks';
import { create, remove, update } from '../../data/intents.ts';
import type { Label } from '../../data/rows.ts';
import { isFirstLoad, mayWriteIn } from '../../shell/frame-view.ts';
import type { ScreenProps } from '../../shell/screens.ts';
import { useUserData } from '../../shell/store.ts';
import { act } from '../../tasks/act.ts';
import { quoted } from '../../text/quoted.ts';
import { useAsk } from '../../ui/ask.tsx';
import { Button } from '../../ui/button.tsx';
import { Cut } from '../../ui/cut.tsx';
import { type MenuItem, MoreButton, moveItems } from '../../ui/menu.tsx';
import { Nothing } from '../../ui/nothing.tsx';
import { NameDialog } from './name-dialog.tsx';
import { OrderedList, useOrderKeys } from './ordered-list.tsx';
import { SettingsPage } from './page.tsx';
import { reorder } from './reorder.ts';

/** The labels of a workspace: make, rename, colour, order, delete. */
export function Labels({ params }: ScreenProps) {
  const w = params.w ?? '';
  const { store, labels } = useUserData();
  const [naming, setNaming] = useState<Label | 'new'>();
  const [ask, question] = useAsk();
  useOrderKeys();
  labels.revision.value;
  const own = labels.rows.filter(({ workspaceId }) => workspaceId === w);
  const may = mayWriteIn(w);
  const save = (title: string) => {
    if (naming === 'new')
      act(`Made the label ${quoted(title)}`, [create('label', w, store.makeId(), { title })]);
    else if (naming) act(`Renamed ${quoted(naming.title)}`, [update('label', naming, { title })]);
  };
  const put = (label: Label, index: number) =>
    act(`Moved ${quoted(label.title)}`, reorder('label', label, own, index));
  const askToRemove = (label: Label) =>
    ask({
      title: 'Delete label',
      yes: 'Delete',
      words: `${quoted(label.title)} goes from all its tasks, and does not come back to them.`,
      run: () => act(`Deleted the label ${quoted(label.title)}`, [remove('label', label)]),
    });
  const menuOf = (label: Label): MenuItem[] => [
    { title: 'Rename', icon: 'pencil', run: () => setNaming(label) },
    ...moveItems(own.indexOf(label), own.length, (index) => put(label, index)),
    { title: 'Delete', icon: 'trash', startsGroup: true, isDanger: true, run: () => askToRemove(label) },
  ];
  return (
    <SettingsPage
      title="Labels"
      w={w}
      tools={
        may && (
          <Button onClick={() => setNaming('new')} icon="plus">
            New label
          </Button>
        )
      }
    >
      {own.length === 0 && !isFirstLoad.value && (
        <Nothing icon="label">
          No labels yet. They mark what belongs together across lists: in quick add, write *name.
        </Nothing>
      )}
      <OrderedList
        label="Labels"
        kind="label"
        rows={own}
        isFixed={!may}
        onMove={(id, index) => {
          const label = own.find((one) => one.id === id);
          if (label) put(label, index);
        }}
      >
        {(label) => (
          <>
            {may ? (
              <span class="color">
                <input
                  type="color"
                  aria-label={`Colour of ${label.title}`}
                  value={label.color}
                  onChange={(event) =>
                    act(`Coloured ${quoted(label.title)}`, [
                      update('label', label, { color: event.currentTarget.value }),
                    ])
                  }
                />
              </span>
            ) : (
              <span class="label" style={{ '--hue': label.color }} />
            )}
            <Cut>{label.title}</Cut>
            {may && (
              <span class="push">
                <MoreButton label={`More for ${label.title}`} items={() => menuOf(label)} />
              </span>
            )}
          </>
        )}
      </OrderedList>
      {naming && (
        <NameDialog
          title={naming === 'new' ? 'New label' : 'Rename'}
          {...(naming !== 'new' && { value: naming.title })}
          taken={own.map((label) => label.title)}
          onSave={save}
          onClose={() => setNaming(undefined)}
        />
      )}
      {question}
    </SettingsPage>
  );
}
