/** Mails that failed are few among many, and are counted at each look at the metrics. */
export const failedMails = `
create index outbox_failed on outbox (id) where state = 'failed';
`;
