/** A link to this very view: to the clipboard, or, where the browser does not allow that, to be copied by hand. */

import { byId, h } from "../dom.js";

const SHOWN = 2000;

/** @param {(text: string) => void} announce */
export function shareButton(announce) {
  const button = byId("share");
  const name = button.textContent;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(location.href);
    } catch {
      byHand();
      return;
    }
    button.textContent = "Copied";
    announce("The link to this view is copied.");
    setTimeout(() => (button.textContent = name), SHOWN);
  });
}

/** Clipboards are for secure pages; a server on another machine without TLS is none. */
function byHand() {
  const input = h("input", { id: "link", readonly: true, value: location.href });
  const dialog = h("dialog", { class: "dialog", "aria-labelledby": "link-title", on: { close: () => dialog.remove() } },
    h("h2", { id: "link-title" }, "Link to this view"),
    h("label", { for: "link" }, "Copy it from here"),
    input,
    h("div", { class: "row" }, h("button", { type: "button", on: { click: () => dialog.close() } }, "Close")));
  byId("dialogs").append(dialog);
  dialog.showModal();
  input.select();
}
