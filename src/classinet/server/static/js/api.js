/**
 * Talking to the server.
 *
 * Enter: a route and plain values. Leave: the JSON of the answer, or a `Problem` that says in words what went wrong.
 * Where the server asks for a token, the person is asked for it once and the request is sent again.
 */

/** What went wrong with a request, as the server told it (problem details), or as the browser did. */
export class Problem extends Error {
  /**
   * @param {{title?: string, detail?: string, status?: number, type?: string, instance?: string,
   *   errors?: {where: string, what: string}[]}} told
   * @param {number | null} retryAfter seconds after which trying again makes sense.
   */
  constructor(told, retryAfter = null) {
    super(told.detail || told.title || "The server did not say what went wrong.");
    this.name = "Problem";
    this.title = told.title ?? "";
    this.status = told.status ?? 0;
    this.type = told.type ?? "";
    this.instance = told.instance ?? "";
    this.errors = told.errors ?? [];
    this.retryAfter = retryAfter;
  }
}

export class Api {
  #askToken;
  #token;
  #onVersion;
  #asking = null;

  /**
   * @param {string | URL} root where the routes begin.
   * @param {{token: () => string, askToken: (refused: boolean) => Promise<string>,
   *   onVersion: (version: string) => void}} hooks `onVersion` is told which version of the model answered.
   */
  constructor(root, { token, askToken, onVersion }) {
    this.root = new URL(root);
    this.#token = token;
    this.#askToken = askToken;
    this.#onVersion = onVersion;
  }

  /**
   * @param {string} route such as "v1/model".
   * @param {Record<string, any>} [query] parameters; undefined ones are left out.
   * @param {AbortSignal} [signal]
   */
  get(route, query = {}, signal) {
    const url = new URL(route, this.root);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.append(name, String(value));
    }
    return this.#send(url, { signal });
  }

  /**
   * @param {string} route
   * @param {object} body
   * @param {AbortSignal} [signal]
   */
  post(route, body, signal) {
    const headers = { "Content-Type": "application/json" };
    return this.#send(new URL(route, this.root), { method: "POST", headers, body: JSON.stringify(body), signal });
  }

  async #send(url, options) {
    for (;;) {
      const token = this.#token();
      const headers = { Accept: "application/json", ...options.headers };
      if (token) headers.Authorization = `Bearer ${token}`;
      const response = await reach(url, { ...options, headers, credentials: "omit", cache: "no-store" });
      if (response.ok) {
        const answer = await readJson(response);
        this.#onVersion(answer.version);
        return answer;
      }
      const problem = await readProblem(response);
      if (problem.status !== 401) throw problem;
      // Another request may have asked and got an answer in the meantime.
      if (this.#token() === token) await this.#ask(token !== "");
    }
  }

  /** Ask once, however many requests were refused at the same time. */
  async #ask(refused) {
    this.#asking ??= this.#askToken(refused).finally(() => (this.#asking = null));
    const given = await this.#asking;
    if (given === "") throw new Problem({ status: 401, detail: "This server answers only with a token." });
  }
}

async function reach(url, options) {
  try {
    return await fetch(url, options);
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new Problem({
      title: "No answer",
      detail: "The server cannot be reached: it may have stopped, or the connection is down. Nothing here is lost.",
    });
  }
}

async function readJson(response) {
  try {
    return await response.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem({ status: response.status, detail: "The server's answer broke off, or is not JSON." });
  }
}

async function readProblem(response) {
  const seconds = Number(response.headers.get("Retry-After") ?? NaN);
  const retryAfter = Number.isFinite(seconds) ? seconds : null;
  const { status, statusText } = response;
  const fallback = { status, title: `The server answered ${status} ${statusText}`.trim() };
  try {
    return new Problem({ ...fallback, ...(await response.json()), status }, retryAfter);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    return new Problem(fallback, retryAfter); // a proxy between may answer in HTML
  }
}

/** A feature as a part of a path: it may hold spaces, slashes, any character. */
export function inPath(feature) {
  return encodeURIComponent(feature.toWellFormed());
}
