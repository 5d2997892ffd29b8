/**
 * Label every row of a file.
 *
 * Enter: a file, its format and the column of the texts. Leave: the same rows with a label and its probability, as a
 * list of blobs that the browser may keep on disk. The file is read in pieces and sent in slices that fit the
 * server's limits; neither side holds all of it. A server that is busy is waited for; a slice that it cannot finish in
 * time is halved.
 */

import { whole } from "../format.js";
import { DelimitedReader, FileError, FORMATS, formatRow } from "./delimited.js";

const MOST_TRIES = 8;
const PATIENT_TRIES = 2; // after these the slice is halved
const LONGEST_WAIT = 30;
const ENVELOPE = 1024; // bytes of a request beside its texts

/**
 * @typedef {object} Job
 * @property {import("../api.js").Api} api
 * @property {File} file
 * @property {string} format a name of `FORMATS`.
 * @property {number} column where the texts are.
 * @property {boolean} hasHeader whether the first row names the columns.
 * @property {{batch: number, body_bytes: number, text_length: number}} limits
 * @property {import("../edits.js").Edit[]} edits
 * @property {AbortSignal} signal
 * @property {(progress: {rows?: number, share?: number, waiting?: number}) => void} report
 */

/**
 * @param {Job} job
 * @param {Blob[]} parts receives the labelled rows; after a failure it holds those before it.
 * @returns {Promise<{rows: number, versions: string[]}>} how many rows, and the model versions that labelled them.
 */
export async function labelFile(job, parts) {
  const format = FORMATS[job.format];
  const versions = new Set();
  let rows = 0;
  let header = null;

  async function send(slice) {
    const answers = await predict(job, slice.map(({ text }) => text), versions);
    const lines = slice.map(({ cells }, at) => formatRow([...cells, ...judged(answers[at])], format));
    parts.push(new Blob(lines));
    rows += slice.length;
    job.report({ rows });
  }

  const slice = new Slice(job);
  for await (const row of rowsOf(job)) {
    if (header === null) {
      header = row;
      if (job.column >= row.cells.length) throw new FileError(row.line, `there is no column ${job.column + 1}.`);
      const names = job.hasHeader ? row.cells : row.cells.map((_, at) => `column ${at + 1}`);
      parts.push(new Blob([formatRow([...names, ...newNames(names)], format)]));
      if (job.hasHeader) continue;
    }
    checkWidth(row, header);
    const text = checkedText(row, job);
    if (!slice.hasRoomFor(text)) await send(slice.empty());
    slice.add(row.cells, text);
  }
  if (header === null) throw new FileError(1, "the file holds no row.");
  if (slice.length) await send(slice.empty());
  return { rows, versions: [...versions] };
}

/** Rows that wait to be sent together, within the server's limits. */
class Slice {
  #entries = [];
  #bytes = 0;
  #most;
  #room;

  constructor({ limits, edits }) {
    this.#most = limits.batch;
    this.#room = limits.body_bytes - ENVELOPE - sizeOf(edits);
  }

  get length() {
    return this.#entries.length;
  }

  hasRoomFor(text) {
    return this.length === 0 || (this.length < this.#most && this.#bytes + sizeOf(text) < this.#room);
  }

  add(cells, text) {
    this.#entries.push({ cells, text });
    this.#bytes += sizeOf(text) + 1;
  }

  /** Take everything out. */
  empty() {
    const entries = this.#entries;
    this.#entries = [];
    this.#bytes = 0;
    return entries;
  }
}

const encoder = new TextEncoder();

function sizeOf(value) {
  return encoder.encode(JSON.stringify(value)).length;
}

/** Read a file piece by piece as rows; a byte that is no UTF-8 is told with the line before which it stands. */
async function* rowsOf({ file, format, signal, report }) {
  const reader = new DelimitedReader(FORMATS[format]);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let read = 0;
  for await (const piece of file.stream()) {
    signal.throwIfAborted();
    yield* reader.push(decoded(decoder, piece, reader));
    read += piece.byteLength;
    report({ share: read / file.size });
  }
  yield* reader.push(decoded(decoder, undefined, reader));
  yield* reader.end();
}

function decoded(decoder, piece, reader) {
  try {
    return decoder.decode(piece, { stream: piece !== undefined });
  } catch {
    throw new FileError(reader.line, "here or below stands a byte that is no UTF-8; save the file as UTF-8.");
  }
}

function checkWidth({ line, cells }, header) {
  if (cells.length === header.cells.length) return;
  const [found, wanted] = [whole(cells.length), whole(header.cells.length)];
  throw new FileError(line, `it has ${found} cells where line ${header.line} has ${wanted}.`);
}

function checkedText({ line, cells }, { column, limits }) {
  const text = cells[column];
  // Only a text that may be too long is worth counting in characters rather than in units of UTF-16.
  if (text.length > limits.text_length) {
    const length = [...text].length;
    const told = `the text has ${whole(length)} characters; this server takes at most ${whole(limits.text_length)}.`;
    if (length > limits.text_length) throw new FileError(line, told);
  }
  return text;
}

async function predict(job, texts, versions, tries = 0) {
  try {
    const answer = await job.api.post("v1/predict", { texts, probabilities: true, edits: job.edits }, job.signal);
    versions.add(answer.version);
    return answer.predictions;
  } catch (problem) {
    if (problem.status !== 503 || tries >= MOST_TRIES) throw problem;
    const seconds = Math.min(LONGEST_WAIT, problem.retryAfter ?? 1);
    job.report({ waiting: seconds });
    await pause(seconds, job.signal);
    if (tries < PATIENT_TRIES || texts.length === 1) return predict(job, texts, versions, tries + 1);
    const middle = texts.length >> 1;
    const first = await predict(job, texts.slice(0, middle), versions, tries + 1);
    return [...first, ...(await predict(job, texts.slice(middle), versions, tries + 1))];
  }
}

function pause(seconds, signal) {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, 1000 * seconds);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
  });
}

/** A label and its probability as cells; several tags are joined by semicolons. */
function judged({ label, probabilities }) {
  const labels = Array.isArray(label) ? label : [label];
  const of = new Map(probabilities.map((entry) => [String(entry.label), entry.probability]));
  return [labels.map(String).join(";"), labels.map((name) => of.get(String(name))).join(";")];
}

/** Names for the new columns that the file does not use yet. */
function newNames(names) {
  return ["label", "probability"].map((name) => {
    let free = name;
    for (let at = 2; names.includes(free); at++) free = `${name}_${at}`;
    return free;
  });
}
