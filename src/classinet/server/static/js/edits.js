/**
 * The edits of this page: bans that travel with each request and change nothing on the server.
 *
 * @typedef {{ban: string | [string, string]}} Edit a banned word, or a banned edge.
 */

import { arrow } from "./format.js";

/** Make the ban of an edge, or of a word if there is no target. */
export function ban(source, target = null) {
  return { ban: target === null ? source : [source, target] };
}

const same = (one, other) => JSON.stringify(one.ban) === JSON.stringify(other.ban);

/** Whether the edits hold this very edit. */
export function holds(edits, edit) {
  return edits.some((other) => same(other, edit));
}

/** Add an edit, or take it back where it is there already. */
export function toggled(edits, edit) {
  return holds(edits, edit) ? edits.filter((other) => !same(other, edit)) : [...edits, edit];
}

/** Whether an edge is out of use: banned itself, or through one of its ends. */
export function isCut(edits, source, target) {
  return [ban(source, target), ban(source), ban(target)].some((edit) => holds(edits, edit));
}

/** An edit in words. */
export function inWords(edit) {
  return Array.isArray(edit.ban) ? arrow(...edit.ban) : edit.ban;
}

/** Read edits from JSON that anybody may have written; what is none is left out. */
export function parseEdits(json) {
  let values;
  try {
    values = JSON.parse(json);
  } catch {
    return [];
  }
  const isName = (value) => typeof value === "string" && value !== "";
  const isEdit = (value) =>
    isName(value?.ban) || (Array.isArray(value?.ban) && value.ban.length === 2 && value.ban.every(isName));
  return Array.isArray(values) ? values.filter(isEdit).map((value) => ({ ban: value.ban })) : [];
}
