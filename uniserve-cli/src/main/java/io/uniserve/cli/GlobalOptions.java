package io.uniserve.cli;

/**
 * Options every command has.
 *
 * @param verbose true to log causes and stack traces
 */
public record GlobalOptions(Output output, boolean verbose) {
    /** Form of the answer on standard output. */
    public enum Output {
        /** For people. */
        TEXT,
        /** One JSON value. */
        JSON
    }

    /** True when the answer is wanted as JSON. */
    public boolean json() {
        return output == Output.JSON;
    }
}
