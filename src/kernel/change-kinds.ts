/** What readers of a workspace are told of; the words of `GET …/changes`. */
export type ChangeKind =
  | 'task'
  | 'recurringTask'
  | 'space'
  | 'list'
  | 'statusTemplate'
  | 'label'
  | 'comment'
  | 'member'
  | 'workspace';
