package io.uniserve.testkit.simulation.plant;

import io.uniserve.protocol.gate.ReadGate;

/** {@link Plant#DOUBTS_IGNORED}: a reader that ignores versions in doubt. */
public final class DoubtsIgnoredBug {
    private DoubtsIgnoredBug() {}

    /** The gate without its version in doubt. */
    public static ReadGate withoutDoubt(ReadGate gate) {
        return new ReadGate(
                gate.actor(),
                gate.epoch(),
                gate.serving(),
                gate.leaseUntilNanos(),
                gate.appliedIndex(),
                0,
                gate.committed(),
                gate.builtNanos());
    }
}
