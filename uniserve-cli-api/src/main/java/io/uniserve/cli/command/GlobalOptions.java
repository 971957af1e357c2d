package io.uniserve.cli.command;

/** Options of every command. */
public record GlobalOptions(Output output, boolean verbose) {
    /** Format of the answer on standard output. */
    public enum Output {
        /** For people. */
        TEXT,
        /** One JSON value. */
        JSON
    }

    /** True if the answer is printed as JSON. */
    public boolean isJson() {
        return output == Output.JSON;
    }
}
