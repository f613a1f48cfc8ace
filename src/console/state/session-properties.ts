const TEXTS = `$entry_current_url $entry_pathname $entry_hostname $end_current_url $end_pathname $end_hostname
  $exit_current_url $exit_pathname $entry_referring_domain $entry_utm_source $entry_utm_medium $entry_utm_campaign
  $entry_utm_term $entry_utm_content $channel_type $browser $os $device_type $geoip_country_code $geoip_country_name`;

const NUMBERS = "$session_duration $pageview_count $autocapture_count $screen_count $event_count";

const all = (names: string, type: string) => names.split(/\s+/).map((name) => ({ name, type }));

/** The properties that sessions have, with the types of their values, as the server calculates them. */
export const SESSION_PROPERTIES: readonly { name: string; type: string }[] = [
  ...all(TEXTS, "String"),
  ...all(NUMBERS, "Numeric"),
  ...all("$is_bounce", "Boolean"),
  ...all("$start_timestamp $end_timestamp", "DateTime"),
];

/** The values of `$channel_type`. */
export const CHANNELS = `Direct|Referral|Email|Affiliate|Audio|Push|Display|Cross Network
Paid Search|Paid Social|Paid Video|Paid Shopping|Paid Unknown
Organic Search|Organic Social|Organic Video|Organic Shopping|Unknown`
  .split(/[|\n]/)
  .map((value) => ({ value, label: value }));
