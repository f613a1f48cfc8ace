import { Panel } from "../../layout/page-head.tsx";
import { singleKeys, THEMES, type Theme, theme } from "../../state/preferences.ts";
import { Check, Select } from "../../ui/field.tsx";

/** How the console looks and listens in this browser. */
export function Appearance() {
  return (
    <Panel title="This browser">
      <div class="stack form">
        <Select
          label="Theme"
          value={theme.value}
          choices={THEMES}
          onChange={(value) => {
            theme.value = value as Theme;
          }}
        />
        <div>
          <Check
            label="Single-key shortcuts"
            checked={singleKeys.value}
            onChange={(on) => {
              singleKeys.value = on;
            }}
          />
          <p class="caption">
            <kbd>?</kbd> lists them. Turn them off if you use voice control.
          </p>
        </div>
      </div>
    </Panel>
  );
}
