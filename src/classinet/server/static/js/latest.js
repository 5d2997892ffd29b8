/**
 * Of several runs of one job only the last one counts.
 *
 * Starting a run aborts the one before it; a late answer of an aborted run is dropped, so it can never overwrite a
 * newer one.
 */
export class Latest {
  #controller = new AbortController();

  /**
   * Run a job.
   *
   * @template T
   * @param {(signal: AbortSignal) => Promise<T>} job
   * @returns {Promise<{value?: T, error?: Error} | null>} null where a later run took its place.
   */
  async run(job) {
    this.cancel();
    const { signal } = (this.#controller = new AbortController());
    try {
      const value = await job(signal);
      return signal.aborted ? null : { value };
    } catch (error) {
      return signal.aborted ? null : { error };
    }
  }

  /** Abort the present run, if any. */
  cancel() {
    this.#controller.abort();
  }
}
