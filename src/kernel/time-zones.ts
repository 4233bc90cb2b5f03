export const MAX_TIMEZONE_LENGTH = 64;

/** Returns the IANA name with its case corrected; null for an unknown zone and for anything but a name. */
export function canonicalTimezone(name: string): string | null {
  if (name.length > MAX_TIMEZONE_LENGTH || !/^[a-z]/i.test(name)) return null;
  try {
    const { timeZoneId } = Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    // Temporal takes whole timestamps in place of a name, and returns the zone written in them.
    return timeZoneId.toLowerCase() === name.toLowerCase() ? timeZoneId : null;
  } catch {
    return null;
  }
}
