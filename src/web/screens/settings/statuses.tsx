import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Failure } from '../../data/api.ts';
import type { Status, StatusTemplate } from '../../data/rows.ts';
import { call, sentenceOf } from '../../shell/api.ts';
import { isAdminIn } from '../../shell/frame-view.ts';
import type { ScreenProps } from '../../shell/screens.ts';
import { useUserData } from '../../shell/store.ts';
import { showToast } from '../../shell/toasts.ts';
import { StatusMark } from '../../tasks/task-box.tsx';
import { STEP } from '../../text/positions.ts';
import { quoted } from '../../text/quoted.ts';
import { STATUS_TYPES } from '../../text/say-filters.ts';
import { oneLine } from '../../text/titles.ts';
import { useAsk } from '../../ui/ask.tsx';
import { Button } from '../../ui/button.tsx';
import { DropChanges, Form, Submit, useForm } from '../../ui/form.tsx';
import { Icon } from '../../ui/icon.tsx';
import { type MenuItem, MoreButton, moveItems } from '../../ui/menu.tsx';
import { mergeStatuses, type StatusDraft } from './merge-statuses.ts';
import { NameDialog } from './name-dialog.tsx';
import { OrderedList, useOrderKeys } from './ordered-list.tsx';
import { ONLY_ADMINS, Part, SettingsPage } from './page.tsx';
import { keepDraft } from './use-draft.ts';

/** The statuses that tasks go through; each template serves some lists. */
export function Statuses({ params }: ScreenProps) {
  const w = params.w ?? '';
  const { store, templates } = useUserData();
  const [isNaming, setNaming] = useState(false);
  useOrderKeys();
  templates.revision.value;
  const isAdmin = isAdminIn(w);
  const make = async (title: string) => {
    const statuses = [
      { title: 'To Do', type: 'unstarted', color: '#747a74' },
      { title: 'In Progress', type: 'started', color: '#3b74b0' },
      { title: 'Done', type: 'completed', color: '#1c6b4f' },
    ];
    const reply = await call('POST', `/workspaces/${w}/status-templates`, { title, statuses });
    if (reply.kind === 'ok') store.pullNow(w);
    else showToast(sentenceOf(reply));
    return reply.kind === 'ok';
  };
  const own = templates.rows.filter(({ workspaceId }) => workspaceId === w);
  const sorted = [...own].sort((a, b) => Number(b.isDefault) - Number(a.isDefault));
  return (
    <SettingsPage
      title="Statuses"
      w={w}
      note={
        isAdmin
          ? 'Each list uses one template. A status that is removed gives its tasks to the first one of its type.'
          : ONLY_ADMINS
      }
      tools={
        isAdmin && (
          <Button onClick={() => setNaming(true)} icon="plus">
            New template
          </Button>
        )
      }
    >
      {sorted.map((template) => (
        <Template key={template.id} template={template} isAdmin={isAdmin} />
      ))}
      {isNaming && <NameDialog title="New template" onSave={make} onClose={() => setNaming(false)} />}
    </SettingsPage>
  );
}

const statusesOf = ({ statuses }: StatusTemplate): readonly Status[] =>
  [...statuses].sort((a, b) => a.position - b.position);

/** What is edited, and what it began with. */
interface Kept {
  base: StatusTemplate;
  statuses: readonly StatusDraft[];
}

const startOf = (template: StatusTemplate): Kept => ({ base: template, statuses: statusesOf(template) });

const areSame = (mine: readonly StatusDraft[], theirs: readonly StatusDraft[]): boolean => {
  const [here, there] = [mine, theirs].map((all) =>
    all.map(({ id, title, type, color }) => [id, title, type, color]),
  );
  return JSON.stringify(here) === JSON.stringify(there);
};

const sayConflicts = (conflicts: readonly string[]): string =>
  `Someone else saved these statuses meanwhile. ${conflicts.join(' ')} Save to keep it so.`;

const rejected = (message: string): Failure => ({
  kind: 'error',
  status: 412,
  error: '',
  message,
  issues: [],
  retryAfter: 0,
});

function Template({ template, isAdmin }: { template: StatusTemplate; isAdmin: boolean }) {
  const { store, lists, drafts } = useUserData();
  const { id, workspaceId, title } = template;
  const where = `statuses ${id}`;
  const address = `/workspaces/${workspaceId}/status-templates/${id}`;
  const [kept] = useState((): Kept => JSON.parse(drafts.get(where) || 'null') ?? startOf(template));
  const [base, setBase] = useState(kept.base);
  const [statuses, setStatuses] = useState(kept.statuses);
  const [isNaming, setNaming] = useState(false);
  const [ask, question] = useAsk();
  const form = useForm([]);
  /** Joins what was saved elsewhere with what is edited here. */
  const take = (saved: StatusTemplate) => {
    const merge = (mine: readonly StatusDraft[]) => mergeStatuses(statusesOf(base), mine, statusesOf(saved));
    setBase(saved);
    setStatuses((mine) => merge(mine).statuses);
    return merge(statuses);
  };
  if (template.updatedAt > base.updatedAt) {
    const { conflicts } = take(template);
    if (conflicts.length > 0) form.fail(sayConflicts(conflicts));
  }
  const isChanged = !areSame(statuses, statusesOf(base));
  useLayoutEffect(() => keepDraft(drafts, where, isChanged ? { base, statuses } : undefined));
  const drop = () => setStatuses(statusesOf(base));
  const added = useRef(0);
  const rows = useRef<HTMLDivElement>(null);
  // The new one is named at once.
  useLayoutEffect(() => {
    if (added.current === 0 || !statuses.at(-1)?.isNew) return;
    const fields = rows.current?.querySelectorAll<HTMLInputElement>('input.cell');
    const last = fields?.[fields.length - 1];
    last?.focus();
    last?.select();
  }, [added.current]);
  const change = (index: number, changes: Partial<StatusDraft>) =>
    setStatuses(statuses.map((status, at) => (at === index ? { ...status, ...changes } : status)));
  const move = (statusId: string, index: number) => {
    const moved = statuses.find((status) => status.id === statusId);
    const rest = statuses.filter((status) => status.id !== statusId);
    if (moved) setStatuses([...rest.slice(0, index), moved, ...rest.slice(index)]);
  };
  const add = () => {
    added.current += 1;
    const next = { id: store.makeId(), isNew: true, title: 'New status', type: 'started' } as const;
    setStatuses([...statuses, { ...next, color: '#747a74' }]);
  };
  const save = async () => {
    let own = statuses;
    let saved: readonly Status[] = [];
    const isSaved = await form.send(async () => {
      const present = await call<StatusTemplate>('GET', address);
      if (present.kind === 'ok' && present.body.updatedAt > base.updatedAt) {
        // What is not known here yet would be removed.
        const { statuses: merged, conflicts } = take(present.body);
        own = merged;
        if (conflicts.length > 0) return rejected(sayConflicts(conflicts));
      }
      const reply = await call<StatusTemplate>('PATCH', address, {
        statuses: own.map(({ id, title, type, color, isNew }, index) => ({
          ...(!isNew && { id }),
          title,
          type,
          color,
          position: (index + 1) * STEP,
        })),
      });
      if (reply.kind === 'ok') {
        saved = statusesOf(reply.body);
        setBase(reply.body);
      }
      return reply;
    });
    if (!isSaved) return;
    // What was typed meanwhile stays.
    setStatuses((mine) =>
      mine.map((status) => {
        const at = own.findIndex(({ id }) => id === status.id);
        const { id } = saved[at] ?? status;
        return at === -1 ? status : { ...status, id, isNew: false };
      }),
    );
    showToast('Saved');
    store.pullNow(workspaceId);
  };
  const send = async (method: string, body?: object) => {
    const reply = await call(method, address, body);
    if (reply.kind === 'ok') store.pullNow(workspaceId);
    else showToast(sentenceOf(reply));
    return reply.kind === 'ok';
  };
  const askToDelete = () =>
    ask({
      title: 'Delete template',
      yes: 'Delete',
      words: `The statuses of ${quoted(title)} cannot be brought back.`,
      run: () => void send('DELETE'),
    });
  const items: MenuItem[] = [{ title: 'Rename', icon: 'pencil', run: () => setNaming(true) }];
  if (!template.isDefault) items.push({ title: 'Delete', icon: 'trash', isDanger: true, run: askToDelete });
  lists.revision.value;
  const users = lists.rows.filter(({ statusTemplateId }) => statusTemplateId === id).length;
  const use = `${users === 0 ? 'No list uses it' : `${users} ${users === 1 ? 'list uses' : 'lists use'} it`}.`;
  return (
    <Part
      title={title}
      note={template.isDefault ? `New lists start with it. ${use}` : use}
      tools={isAdmin && <MoreButton label={`More for ${title}`} items={items} />}
    >
      <Form state={form} onSubmit={save}>
        <div ref={rows}>
          <OrderedList
            label={`Statuses of ${title}`}
            kind={`status ${id}`}
            class="statuses"
            rows={statuses}
            isFixed={!isAdmin}
            onMove={move}
          >
            {(status, index) => (
              <>
                <StatusMark status={{ position: 0, ...status }} />
                <input
                  class="input cell"
                  aria-label={`Name of status ${index + 1}`}
                  dir="auto"
                  maxLength={100}
                  disabled={!isAdmin}
                  value={status.title}
                  onInput={(event) => change(index, { title: oneLine(event.currentTarget.value) })}
                />
                <span class="input cell type">
                  <select
                    aria-label={`Type of ${status.title}`}
                    disabled={!isAdmin}
                    value={status.type}
                    onChange={(event) => change(index, { type: event.currentTarget.value as Status['type'] })}
                  >
                    {(Object.keys(STATUS_TYPES) as Status['type'][]).map((type) => (
                      <option key={type} value={type} selected={type === status.type}>
                        {STATUS_TYPES[type]}
                      </option>
                    ))}
                  </select>
                  {isAdmin && <Icon name="down" small />}
                </span>
                {isAdmin && (
                  <MoreButton
                    label={`More for ${status.title}`}
                    items={[
                      ...moveItems(index, statuses.length, (to) => move(status.id, to)),
                      {
                        title: 'Remove',
                        icon: 'close',
                        startsGroup: true,
                        run: () => setStatuses(statuses.filter((_, at) => at !== index)),
                      },
                    ]}
                  />
                )}
              </>
            )}
          </OrderedList>
        </div>
        {isAdmin && (
          <div class="line wraps">
            <Button class="plain add" onClick={add} icon="plus" isSmall>
              New status
            </Button>
            <span class="line push">
              <DropChanges draft={{ isChanged, drop }} />
              <Submit>Save</Submit>
            </span>
          </div>
        )}
      </Form>
      {isNaming && (
        <NameDialog
          title="Rename"
          value={title}
          onSave={(next) => send('PATCH', { title: next })}
          onClose={() => setNaming(false)}
        />
      )}
      {question}
    </Part>
  );
}
