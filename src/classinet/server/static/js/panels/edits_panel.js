/** The bans of this page, each with a way back. */

import { byId, fill, h } from "../dom.js";
import { inWords, toggled } from "../edits.js";

/** @param {import("../main.js").Context} context */
export function editsPanel({ store, announce }) {
  const section = byId("edits-section");
  const element = byId("edits");
  let known = store.view.edits.length;

  function render({ edits }) {
    section.hidden = edits.length === 0;
    const button = (text, label, click) =>
      h("button", { type: "button", class: "quiet", "data-key": label, "aria-label": label, on: { click } }, text);
    const undo = (edit) => store.update({ edits: toggled(store.view.edits, edit) });
    const item = (edit) =>
      h("li", {},
        h("span", { class: "banned" }, inWords(edit)),
        button("Undo", `Undo the ban of ${inWords(edit)}`, () => undo(edit)));
    fill(
      element,
      h("ul", { class: "edits" }, edits.map(item)),
      edits.length > 1 && button("Undo all", "Undo all", () => store.update({ edits: [] })),
      h("p", { class: "help" }, "They travel with the requests of this page; the model on the server is not changed."),
    );
    if (edits.length > known) announce(`Banned ${inWords(edits.at(-1))}.`);
    known = edits.length;
  }

  store.watch(["edits"], render);
  render(store.view);
}
