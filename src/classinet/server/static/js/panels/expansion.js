/** What the net adds to the text, the paths that brought it, and the controls of the expansion shown. */

import { byId, debounce, fill, h } from "../dom.js";
import { count, fixed, percent } from "../format.js";
import { controlsOf, methodTitle, settingText } from "../methods.js";
import { bar, firstOf, number, pathOf, showAnswer, tableHead, wordButton } from "./parts.js";

const PAUSE = 150;
const SHOWN = 10;
const SLIDERS = {
  damping: { title: "Damping", min: 0, max: 1, step: 0.05, show: (value) => fixed(value, 2) },
  hops: { title: "Hops", min: 1, max: 10, step: 1, show: String },
  k: { title: "Neighbours", min: 1, max: 30, step: 1, show: String },
};

/**
 * @param {import("../main.js").Context} context
 * @returns {(answer: import("../reading.js").Answer) => void} to be told of expansions.
 */
export function expansionPanel(context) {
  const element = byId("expansion");
  const controls = controlPanel(context);
  const opened = new Set();
  return (answer) => {
    const render = () =>
      showAnswer(element, answer, {
        empty: () => h("p", { class: "help" }, "Nothing yet: type a text."),
        value: ({ expanded }) => addedList(context, expanded, opened, render),
      });
    render();
    if (answer.value) controls.show(answer.value.expansion);
  };
}

function addedList(context, { features }, opened, render) {
  const added = features.filter((feature) => feature.kind === "predicted");
  if (added.length === 0) return h("p", { class: "help" }, "The net adds nothing to this text.");
  const most = Math.max(...added.map((feature) => feature.value));
  const { rows, button } = firstOf(opened, "added", added, SHOWN, render);
  const lines = rows.map((feature) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, wordButton(context, feature.name, "predicted")),
      h("td", { class: "measure" }, bar(feature.value, most, "predicted"), number(feature.value, 3)),
      h("td", {}, pathOf(context, feature.path)),
      h("td", { class: "number" }, percent(feature.share)),
    ),
  );
  return [
    h("p", { class: "help" }, `${count(added.length, "word")}, the strongest first. Press an arrow to ban that edge.`),
    h(
      "table",
      { class: "added" },
      tableHead("word", "how much", "by this path", "path’s share"),
      h("tbody", {}, lines),
    ),
    button,
  ];
}

/** The form with method and sliders; `show` brings it in line with the setting that the server used. */
function controlPanel({ store, model }) {
  const form = byId("controls");
  const note = byId("controls-note");
  form.addEventListener("submit", (event) => event.preventDefault());
  if (model.kind === "classifier") {
    note.textContent =
      `The label stays that of the trained setting (${settingText(model.expansion)}); ` +
      "these controls change the expansion shown here alone.";
  }
  let used = model.expansion;
  const render = () => fill(form, methodField(store, model), sliderFields(store, used), resetButton(store));
  store.watch(["method", "damping", "hops", "k"], (view) => {
    const method = view.method || model.expansion.method;
    if (method === model.expansion.method) used = model.expansion;
    else if (method !== used.method) used = { method, parameters: {} }; // known with the answer
    if (!form.querySelector("input[type=range]:active")) render();
  });
  render();
  return {
    show(expansion) {
      used = expansion;
      if (!form.querySelector("input[type=range]:active")) render();
    },
  };
}

function methodField(store, model) {
  const trained = model.expansion.method;
  const names = model.methods.includes(trained) ? model.methods : [trained, ...model.methods];
  const chosen = store.view.method || trained;
  const options = names.map((name) =>
    h("option", { value: name, selected: name === chosen }, methodTitle(name), name === trained && " (as trained)"));
  const change = (event) => {
    const method = event.target.value === trained ? "" : event.target.value;
    store.update({ method, damping: null, hops: null, k: null });
  };
  return h("div", { class: "field" }, h("label", { for: "method" }, "Method"),
    h("select", { id: "method", "data-key": "method", on: { change } }, options));
}

function sliderFields(store, { method, parameters }) {
  return controlsOf(method).map((name) => {
    const { title, min, max, step, show } = SLIDERS[name];
    const known = store.view[name] ?? parameters[name];
    const value = typeof known === "number" ? known : max;
    const text = typeof known === "number" ? show(known) : known === null ? "∞" : String(known ?? "…");
    const output = h("output", { for: `control-${name}` }, text);
    const commit = debounce((chosen) => store.update({ [name]: chosen }, name), PAUSE);
    const input = (event) => {
      output.textContent = show(event.target.valueAsNumber);
      commit(event.target.valueAsNumber);
    };
    const range = { type: "range", min, max: Math.max(max, value), step, value };
    return h("div", { class: "field" },
      h("label", { for: `control-${name}` }, title, " ", output),
      h("input", { id: `control-${name}`, "data-key": name, ...range, on: { input } }));
  });
}

function resetButton(store) {
  const { method, damping, hops, k } = store.view;
  if (method === "" && damping === null && hops === null && k === null) return null;
  const click = () => store.update({ method: "", damping: null, hops: null, k: null });
  return h("button", { type: "button", class: "quiet", "data-key": "reset", on: { click } }, "As trained");
}
