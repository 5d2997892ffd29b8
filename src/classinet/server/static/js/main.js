/**
 * The page comes to life: learn what model is served, then let each panel follow the view.
 *
 * @typedef {object} Context what every panel is given.
 * @property {Api} api
 * @property {Store} store
 * @property {object} model the answer of v1/model.
 * @property {(word: string) => void} openWord show a word's panel and go there.
 * @property {(text: string) => void} announce tell those who listen rather than look.
 */

import { Api } from "./api.js";
import { batchPanel } from "./batch/batch_panel.js";
import { byId, fill, h } from "./dom.js";
import { count } from "./format.js";
import { notice } from "./notice.js";
import { contributionsPanel } from "./panels/contributions.js";
import { editsPanel } from "./panels/edits_panel.js";
import { expansionPanel } from "./panels/expansion.js";
import { searchBox } from "./panels/search_box.js";
import { shareButton } from "./panels/share.js";
import { textPanel } from "./panels/text_panel.js";
import { verdictPanel } from "./panels/verdict.js";
import { wordPanel } from "./panels/word_panel.js";
import { followText } from "./reading.js";
import { Store } from "./store.js";
import { askToken, token } from "./token_dialog.js";
import { formatView } from "./view.js";

const store = new Store();
const api = new Api(new URL(".", document.baseURI), { token, askToken, onVersion: noteVersion });
let version = null;

async function begin() {
  try {
    const model = await api.get("v1/model");
    fill(byId("page-notice"));
    start(model);
  } catch (error) {
    const again = h("button", { type: "button", "data-key": "again", on: { click: begin } }, "Try again");
    fill(byId("page-notice"), notice(error), again);
  }
}

/** @param {object} model */
function start(model) {
  /** @type {Context} */
  const context = { api, store, model, openWord, announce };
  byId("model-line").textContent =
    `${model.name} ${model.version} · ${count(model.n_vertices, "word")}, ${count(model.n_edges, "edge")}` +
    (model.edits ? `, ${count(model.edits, "edit")}` : "");
  const listeners = [textPanel(context), expansionPanel(context)];
  const judges = [verdictPanel(context), contributionsPanel(context)];
  editsPanel(context);
  searchBox(context);
  wordPanel(context);
  batchPanel(context);
  followText(context, {
    expansion: (answer) => listeners.forEach((listener) => listener(answer)),
    judgement: (answer) => judges.forEach((listener) => listener(answer)),
  });
}

function openWord(word) {
  store.update({ view: "explore", word });
  // On a narrow screen the panel is below the fold; with the focus, eyes and keyboard get there together.
  byId("word-title").focus({ preventScroll: true });
  byId("word-title").scrollIntoView({ block: matchMedia("(max-width: 60rem)").matches ? "start" : "nearest" });
}

function announce(text) {
  byId("live").textContent = text;
}

/** The model may be replaced while the page is open: what it says about itself is then out of date. */
function noteVersion(answered) {
  version ??= answered;
  if (answered === version) return;
  const again = h("button", { type: "button", on: { click: () => location.reload() } }, "Load it");
  const told = `The server now answers with ${answered}; this page was opened with ${version}. `;
  fill(byId("page-notice"), h("p", { class: "notice", role: "status" }, told, again));
}

function showHalf({ view }) {
  for (const name of ["explore", "batch"]) {
    byId(name).hidden = name !== view;
    byId(`to-${name}`).setAttribute("aria-current", name === view ? "page" : "false");
  }
}

/** The links between the halves keep all else of the view. */
function linkHalves() {
  for (const view of ["explore", "batch"]) byId(`to-${view}`).setAttribute("href", formatView({ ...store.view, view }));
}

document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault(); // the fragment of the address is the view
  store.update({ view: "explore" });
  byId("text-input").focus();
});
store.watch(["view"], showHalf);
store.watch(Object.keys(store.view), linkHalves);
showHalf(store.view);
linkHalves();
shareButton(announce);
begin();
