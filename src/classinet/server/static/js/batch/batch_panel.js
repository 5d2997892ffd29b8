/** The half of the page that labels a file: choose it, choose the column, watch, download. */

import { byId, fill, h } from "../dom.js";
import { count, percent } from "../format.js";
import { notice } from "../notice.js";
import { DelimitedReader, FORMATS, guessFormat } from "./delimited.js";
import { labelFile } from "./label_file.js";

const PREVIEW_BYTES = 1 << 16;
const PREVIEW_ROWS = 5;
const ACCEPTED = ".csv,.tsv,.tab,.txt,text/csv,text/tab-separated-values";
const SEPARATORS = Object.entries(FORMATS).map(([value, { title }]) => [value, title]);
const LIKELY_NAMES = /^(text|sentence|tweet|title|message|review|comment|document|content)s?$/i;

let lastLink = null;

/** @param {import("../main.js").Context} context */
export function batchPanel(context) {
  const element = byId("batch-panel");
  if (context.model.kind !== "classifier") {
    fill(element, h("p", { class: "notice" }, "This model is a net without a classifier: it has no labels to give."));
    return;
  }
  const options = h("div");
  const outcome = h("div");
  const choose = async (event) => {
    const [file] = event.target.files;
    fill(outcome);
    if (file) await showOptions(context, file, options, outcome);
    else fill(options);
  };
  fill(
    element,
    h("div", { class: "field" },
      h("label", { for: "file" }, "File"),
      h("input", { id: "file", type: "file", accept: ACCEPTED, on: { change: choose } })),
    options,
    outcome,
  );
}

/** Ask how to read a file, with its first rows in view. */
async function showOptions(context, file, element, outcome) {
  const head = new TextDecoder().decode(await file.slice(0, PREVIEW_BYTES).arrayBuffer());
  const isWhole = file.size <= PREVIEW_BYTES;
  const guess = (format) => guessColumn(firstRows(head, isWhole, format).rows);
  const format = guessFormat(file.name, head);
  const choice = { format, column: guess(format), hasHeader: true, withEdits: false };

  function render() {
    const { rows, error } = firstRows(head, isWhole, choice.format);
    const width = rows[0]?.cells.length ?? 0;
    choice.column = Math.min(choice.column, Math.max(0, width - 1));
    const columns = columnNames(rows, choice.hasHeader).map((name, at) => [String(at), name]);
    const { edits } = context.store.view;
    const ownEdits = `With my ${count(edits.length, "edit")}`;
    fill(
      element,
      h("form", { class: "controls", on: { submit: start } },
        select("format", "Separator", SEPARATORS, choice.format, (format) => put({ format, column: guess(format) })),
        select("column", "Text column", columns, String(choice.column), (column) => put({ column: Number(column) })),
        tick("header", "The first row names the columns", choice.hasHeader, (hasHeader) => put({ hasHeader })),
        edits.length > 0 && tick("with-edits", ownEdits, choice.withEdits, (withEdits) => put({ withEdits })),
        h("button", { type: "submit", id: "start", class: "main", disabled: rows.length === 0 }, "Label the file")),
      error && notice(error),
      rows.length > 0 ? preview(rows, choice) : !error && h("p", { class: "help" }, "The file holds no row."),
    );
  }

  function put(changes) {
    Object.assign(choice, changes);
    render();
  }

  async function start(event) {
    event.preventDefault();
    const edits = choice.withEdits ? context.store.view.edits : [];
    element.inert = true;
    byId("file").disabled = true;
    try {
      await run(context, { ...choice, file, edits }, outcome);
    } finally {
      element.inert = false;
      byId("file").disabled = false;
    }
  }

  render();
}

function select(id, title, entries, chosen, choose) {
  const option = ([value, text]) => h("option", { value, selected: value === chosen }, text);
  const change = (event) => choose(event.target.value);
  return h("div", { class: "field" },
    h("label", { for: id }, title),
    h("select", { id, "data-key": id, on: { change } }, entries.map(option)));
}

function tick(id, title, checked, choose) {
  const change = (event) => choose(event.target.checked);
  return h("div", { class: "field tick" },
    h("input", { id, "data-key": id, type: "checkbox", checked, on: { change } }),
    h("label", { for: id }, title));
}

/** The rows of the first piece of a file; its last row is known to end there only if the piece is all of the file. */
function firstRows(head, isWhole, format) {
  const reader = new DelimitedReader(FORMATS[format]);
  try {
    const rows = [...reader.push(head), ...(isWhole ? reader.end() : [])];
    return { rows: rows.slice(0, PREVIEW_ROWS + 1) };
  } catch (error) {
    return { rows: [], error };
  }
}

function guessColumn(rows) {
  const [header, ...rest] = rows;
  if (!header) return 0;
  const named = header.cells.findIndex((name) => LIKELY_NAMES.test(name.trim()));
  if (named >= 0) return named;
  const length = (at) => rest.reduce((sum, { cells }) => sum + (cells[at]?.length ?? 0), 0);
  const lengths = header.cells.map((_, at) => length(at));
  return lengths.indexOf(Math.max(...lengths));
}

function columnNames(rows, hasHeader) {
  return (rows[0]?.cells ?? []).map((name, at) => (hasHeader && name.trim() ? name : `column ${at + 1}`));
}

function preview(rows, { hasHeader, column }) {
  const names = columnNames(rows, hasHeader);
  const body = rows.slice(hasHeader ? 1 : 0, PREVIEW_ROWS + 1);
  const mark = (at) => (at === column ? "chosen" : null);
  const cell = (text, at) => h("td", { class: mark(at) }, text);
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "First rows of the file" },
    h("table", { class: "preview" },
      h("thead", {}, h("tr", {}, names.map((name, at) => h("th", { scope: "col", class: mark(at) }, name)))),
      h("tbody", {}, body.map(({ cells }) => h("tr", {}, cells.map(cell))))));
}

/** Label the file and show how far it is; what was labelled can be downloaded even if the rest fails. */
async function run({ api, model, announce }, { file, format, ...job }, outcome) {
  const controller = new AbortController();
  const bar = h("progress", { max: 1, value: 0, id: "progress", "aria-label": "Progress" });
  const text = h("p", { class: "help", id: "progress-text" }, "Starting…");
  const cancel = h("button", { type: "button", id: "cancel", on: { click: () => controller.abort() } }, "Cancel");
  fill(outcome, h("div", { class: "row" }, bar, cancel), text);
  cancel.focus();
  announce("Labelling has begun.");

  let rows = 0;
  const report = ({ share, waiting, ...counted }) => {
    if (share !== undefined) bar.value = share;
    rows = counted.rows ?? rows;
    text.textContent = waiting
      ? `${count(rows, "row")} labelled. The server is busy; trying again in ${waiting} s.`
      : `${count(rows, "row")} labelled, ${percent(bar.value)} of the file read`;
  };
  const parts = [];
  let ending;
  try {
    const { signal } = controller;
    const done = await labelFile({ ...job, api, file, format, limits: model.limits, signal, report }, parts);
    ending = [h("p", { id: "done" }, `${count(done.rows, "row")} labelled.`), versionsNote(done.versions)];
    announce(`Done: ${count(done.rows, "row")} labelled.`);
  } catch (error) {
    ending = controller.signal.aborted
      ? h("p", { class: "notice", id: "cancelled" }, `Cancelled after ${count(rows, "row")}.`)
      : notice(error);
    announce(controller.signal.aborted ? "Cancelled." : error.message);
  }
  fill(outcome, ending, rows > 0 && download(parts, file.name, format, rows));
}

function versionsNote(versions) {
  if (versions.length < 2) return null;
  const told = `The model was replaced meanwhile: rows were labelled by ${versions.join(", then ")}.`;
  return h("p", { class: "notice" }, told);
}

function download(parts, name, format, rows) {
  const [type, extension] = format === "tab" ? ["text/tab-separated-values", "tsv"] : ["text/csv", "csv"];
  const blob = new Blob(parts, { type });
  if (lastLink) URL.revokeObjectURL(lastLink); // the browser keeps the rows as long as the link
  lastLink = URL.createObjectURL(blob);
  const target = { href: lastLink, download: `${name.replace(/\.[^.]*$/, "")}.labels.${extension}` };
  return h("p", {}, h("a", { class: "button main", id: "download", ...target }, `Download ${count(rows, "row")}`));
}
