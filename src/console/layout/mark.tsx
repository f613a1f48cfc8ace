/** The sign of Hoglet: a small hedgehog. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <path
        class="mark-quills"
        d="M3 22 5.5 17 3.5 15.5 8 13.5 7.5 10.5 11.5 11 12.5 7.5 16 10 18.5 7 20.5 10.8 23 10c4 3 6.5 7 6.5 11l-2 3H5z"
      />
      <path class="mark-face" d="M20 24c-1-5 1-9 4.5-9 3 1.5 5 4.5 5.8 7.2.2 1-.5 1.8-1.5 1.800z" />
      <circle class="mark-eye" cx="25.2" cy="19.6" r="1.1" />
    </svg>
  );
}
