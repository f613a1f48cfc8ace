/** Whether capture reads forms (`data=`, base64), as posthog-js before 1.200 sends at first. */
export const FORMS_ARE_READ = false;

/** Whether `$identify` with an anonymous id and `$create_alias` make one person of two. */
export const PERSONS_ARE_MERGED = false;
