/**
 * Rows of CSV and TSV, read and written piece by piece.
 *
 * Enter: text in pieces of any length, cut anywhere. Leave: rows of cells, each with the line on which it begins. CSV
 * is that of RFC 4180: cells that hold the separator, quotes or line breaks stand in quotes, quotes inside are doubled.
 * In TSV nothing is quoted, as in the rest of ClassiNet. Empty lines are skipped; lines may end in LF, CRLF or CR.
 *
 * @typedef {{line: number, cells: string[]}} Row
 * @typedef {{separator: string, quotes: boolean}} Format
 */

/** @type {Record<string, Format & {title: string}>} */
export const FORMATS = {
  comma: { title: "comma", separator: ",", quotes: true },
  semicolon: { title: "semicolon", separator: ";", quotes: true },
  tab: { title: "tab", separator: "\t", quotes: false },
};

/** What is wrong with a file, and on which line. */
export class FileError extends Error {
  constructor(line, what) {
    super(`Line ${line}: ${what}`);
    this.line = line;
  }
}

const START = 0; // at the first character of a cell
const PLAIN = 1; // inside a cell without quotes
const QUOTED = 2; // inside quotes
const CLOSED = 3; // after the quote that may close a cell

export class DelimitedReader {
  #format;
  #state = START;
  #cell = "";
  #cells = [];
  #line = 1;
  #firstLine = 1; // of the row
  #quoteLine = 1; // of the quote that is open
  #afterReturn = false;
  #rows = [];

  /** @param {Format} format */
  constructor(format) {
    this.#format = format;
  }

  /** The line that is being read. */
  get line() {
    return this.#line;
  }

  /**
   * Take the next piece; return the rows it completes.
   *
   * @param {string} piece
   * @returns {Row[]}
   */
  push(piece) {
    this.#rows = [];
    for (const character of piece) this.#take(character);
    return this.#rows;
  }

  /**
   * Say that nothing follows; return the last row, if its line has no end.
   *
   * @returns {Row[]}
   */
  end() {
    this.#rows = [];
    if (this.#state === QUOTED) throw new FileError(this.#quoteLine, "a quote is opened and never closed.");
    this.#endRow();
    return this.#rows;
  }

  #take(character) {
    const follows = this.#afterReturn && character === "\n";
    this.#afterReturn = character === "\r";
    if (this.#state === QUOTED) {
      if (character === '"') this.#state = CLOSED;
      else this.#cell += character;
      if (isBreak(character) && !follows) this.#line += 1;
      return;
    }
    if (follows) return;
    if (isBreak(character)) {
      this.#endRow();
      this.#line += 1;
      this.#firstLine = this.#line;
    } else if (character === this.#format.separator) this.#endCell();
    else if (character === '"' && this.#format.quotes) this.#takeQuote();
    else this.#takePlain(character);
  }

  #takeQuote() {
    const told = "a quote stands inside a cell that does not begin with one.";
    if (this.#state === PLAIN) throw new FileError(this.#line, told);
    if (this.#state === CLOSED) this.#cell += '"';
    else this.#quoteLine = this.#line;
    this.#state = QUOTED;
  }

  #takePlain(character) {
    const told = `“${character}” follows a closing quote; quotes inside a cell are doubled.`;
    if (this.#state === CLOSED) throw new FileError(this.#line, told);
    this.#cell += character;
    this.#state = PLAIN;
  }

  #endCell() {
    this.#cells.push(this.#cell);
    this.#cell = "";
    this.#state = START;
  }

  #endRow() {
    const isEmpty = this.#state === START && this.#cells.length === 0;
    if (!isEmpty) {
      this.#endCell();
      this.#rows.push({ line: this.#firstLine, cells: this.#cells });
    }
    this.#cells = [];
  }
}

function isBreak(character) {
  return character === "\n" || character === "\r";
}

/**
 * Guess the format of a file from its name and its first line.
 *
 * @param {string} name
 * @param {string} head
 * @returns {keyof typeof FORMATS}
 */
export function guessFormat(name, head) {
  const [line] = head.split(/[\r\n]/, 1);
  const times = (separator) => line.split(separator).length;
  if (/\.(tsv|tab)$/i.test(name) || (!/\.csv$/i.test(name) && times("\t") > 1)) return "tab";
  return times(";") > times(",") ? "semicolon" : "comma";
}

/**
 * Write cells as a line.
 *
 * @param {string[]} cells
 * @param {Format} format
 */
export function formatRow(cells, { separator, quotes }) {
  const write = quotes
    ? (cell) => (cell.includes(separator) || /["\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
    : (cell) => cell.replace(/[\t\r\n]/g, " ");
  const line = cells.map(write).join(separator);
  // A lone empty cell would be an empty line, which readers skip.
  return `${line === "" && quotes ? '""' : line}\r\n`;
}
