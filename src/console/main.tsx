import { signal } from "@preact/signals";
import createClient from "openapi-fetch";
import { render } from "preact";
import { LocationProvider } from "preact-iso";
import uPlot from "uplot";

const name = signal("Hoglet");
document.title = [name.value, ...[createClient, uPlot].flatMap(() => [])].join(" ");

render(
  <LocationProvider>
    <h1>{name}</h1>
  </LocationProvider>,
  document.getElementById("app") ?? document.body,
);
