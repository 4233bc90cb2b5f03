import { PageQuery, pageRequest, pageShape } from '../http/page-query.ts';
import { route } from '../http/route.ts';
import { pageOf } from '../kernel/page.ts';
import { member } from '../workspaces/door.ts';
import { createList, readList, removeList, updateList } from './lists.ts';
import {
  List,
  ListInput,
  ListPatch,
  ListQuery,
  NewSpace,
  Space,
  SpaceInput,
  SpacePatch,
  StatusTemplate,
  StatusTemplateInput,
  StatusTemplatePatch,
} from './schema.ts';
import { createSpace, readSpace, removeSpace, updateSpace } from './spaces.ts';
import { createTemplate, readTemplate, removeTemplate, updateTemplate } from './status-templates.ts';
import { listSpaces, pageOfLists } from './store.ts';
import { listTemplates } from './templates-store.ts';

export const listRoutes = [
  route({
    method: 'get',
    path: '/workspaces/{workspace_id}/spaces',
    door: member('viewer'),
    query: PageQuery,
    status: 200,
    answer: pageShape(Space),
    tag: 'Spaces and lists',
    summary: 'List the spaces',
    handle: ({ deps, who, query }) => {
      const page = pageRequest(deps, query);
      const { total, items } = listSpaces(deps.read, who.workspaceId, page);
      return pageOf(page, total, items);
    },
  }),
  route({
    method: 'post',
    path: '/workspaces/{workspace_id}/spaces',
    door: member('member'),
    body: SpaceInput,
    status: 201,
    answer: NewSpace,
    tag: 'Spaces and lists',
    summary: 'Create a space',
    description: 'It starts with a list `Tasks`, which the answer holds.',
    handle: ({ deps, who, body }) => createSpace(deps, who, body),
  }),
  route({
    method: 'get',
    path: '/workspaces/{workspace_id}/spaces/{space_id}',
    door: member('viewer'),
    status: 200,
    answer: Space,
    tag: 'Spaces and lists',
    summary: 'Read a space',
    handle: ({ deps, who, params }) => readSpace(deps.read, who, params.space_id),
  }),
  route({
    method: 'patch',
    path: '/workspaces/{workspace_id}/spaces/{space_id}',
    door: member('member'),
    body: SpacePatch,
    status: 200,
    answer: Space,
    tag: 'Spaces and lists',
    summary: 'Change a space',
    handle: ({ deps, who, params, body }) => updateSpace(deps, who, params.space_id, body),
  }),
  route({
    method: 'delete',
    path: '/workspaces/{workspace_id}/spaces/{space_id}',
    door: member('member'),
    status: 204,
    tag: 'Spaces and lists',
    summary: 'Delete a space',
    description: 'With its lists, their tasks and series.',
    handle: ({ deps, who, params }) => removeSpace(deps, who, params.space_id),
  }),
  route({
    method: 'get',
    path: '/workspaces/{workspace_id}/lists',
    door: member('viewer'),
    query: ListQuery,
    status: 200,
    answer: pageShape(List),
    tag: 'Spaces and lists',
    summary: 'List the lists',
    handle: ({ deps, who, query }) => {
      const page = pageRequest(deps, query);
      const { total, items } = pageOfLists(deps.read, who.workspaceId, query, page);
      return pageOf(page, total, items);
    },
  }),
  route({
    method: 'post',
    path: '/workspaces/{workspace_id}/lists',
    door: member('member'),
    body: ListInput,
    status: 201,
    answer: List,
    tag: 'Spaces and lists',
    summary: 'Create a list',
    handle: ({ deps, who, body }) => createList(deps, who, body),
  }),
  route({
    method: 'get',
    path: '/workspaces/{workspace_id}/lists/{list_id}',
    door: member('viewer'),
    status: 200,
    answer: List,
    tag: 'Spaces and lists',
    summary: 'Read a list',
    handle: ({ deps, who, params }) => readList(deps.read, who, params.list_id),
  }),
  route({
    method: 'patch',
    path: '/workspaces/{workspace_id}/lists/{list_id}',
    door: member('member'),
    body: ListPatch,
    status: 200,
    answer: List,
    tag: 'Spaces and lists',
    summary: 'Change a list',
    description:
      '`spaceId` moves it to another space, where it keeps its position. Under another status template each task gets the status of the same title, else of the same type, else the first.',
    handle: ({ deps, who, params, body }) => updateList(deps, who, params.list_id, body),
  }),
  route({
    method: 'delete',
    path: '/workspaces/{workspace_id}/lists/{list_id}',
    door: member('member'),
    status: 204,
    tag: 'Spaces and lists',
    summary: 'Delete a list',
    description: 'With its tasks and series.',
    handle: ({ deps, who, params }) => removeList(deps, who, params.list_id),
  }),
  route({
    method: 'get',
    path: '/workspaces/{workspace_id}/status-templates',
    door: member('viewer'),
    query: PageQuery,
    status: 200,
    answer: pageShape(StatusTemplate),
    tag: 'Status templates',
    summary: 'List the status templates',
    handle: ({ deps, who, query }) => {
      const page = pageRequest(deps, query);
      const { total, items } = listTemplates(deps.read, who.workspaceId, page);
      return pageOf(page, total, items);
    },
  }),
  route({
    method: 'post',
    path: '/workspaces/{workspace_id}/status-templates',
    door: member('admin'),
    body: StatusTemplateInput,
    status: 201,
    answer: StatusTemplate,
    tag: 'Status templates',
    summary: 'Create a status template',
    handle: ({ deps, who, body }) => createTemplate(deps, who, body),
  }),
  route({
    method: 'get',
    path: '/workspaces/{workspace_id}/status-templates/{template_id}',
    door: member('viewer'),
    status: 200,
    answer: StatusTemplate,
    tag: 'Status templates',
    summary: 'Read a status template',
    handle: ({ deps, who, params }) => readTemplate(deps.read, who, params.template_id),
  }),
  route({
    method: 'patch',
    path: '/workspaces/{workspace_id}/status-templates/{template_id}',
    door: member('admin'),
    body: StatusTemplatePatch,
    status: 200,
    answer: StatusTemplate,
    tag: 'Status templates',
    summary: 'Change a status template',
    description:
      '`statuses` is the whole array: an entry with an `id` keeps that status, and what it does not name; one without is new. Tasks of a removed status go to the first of the same type, else to the first. At least one unstarted and one completed status must remain.',
    handle: ({ deps, who, params, body }) => updateTemplate(deps, who, params.template_id, body),
  }),
  route({
    method: 'delete',
    path: '/workspaces/{workspace_id}/status-templates/{template_id}',
    door: member('admin'),
    status: 204,
    refuses: [400],
    tag: 'Status templates',
    summary: 'Delete a status template',
    description: '400 for the default one and for one that lists use.',
    handle: ({ deps, who, params }) => removeTemplate(deps, who, params.template_id),
  }),
];
