/** Marks a number that counts few persons, so that chance moves it much. */
export function SmallMark() {
  return (
    <span class="small-mark" title="fewer than 5 people">
      <span aria-hidden="true">few</span>
      <span class="off-screen">fewer than 5 people</span>
    </span>
  );
}
