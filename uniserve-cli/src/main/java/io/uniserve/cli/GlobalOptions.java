package io.uniserve.cli;

import io.uniserve.model.Address;
import java.util.List;

/**
 * Options every command has.
 *
 * @param bootstrap addresses of servers or coordinators
 * @param verbose true to log causes and stack traces
 */
public record GlobalOptions(List<Address> bootstrap, Output output, boolean verbose) {
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
