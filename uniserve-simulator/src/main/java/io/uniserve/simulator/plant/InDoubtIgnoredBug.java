package io.uniserve.simulator.plant;

import io.uniserve.protocol.gate.ReadGate;

/** {@link Plant#DOUBTS_IGNORED}: a reader that ignores versions in doubt. */
public final class InDoubtIgnoredBug {
    private InDoubtIgnoredBug() {}

    /** The gate without its version in doubt. */
    public static ReadGate withoutInDoubt(ReadGate gate) {
        return new ReadGate(
                gate.actor(),
                gate.epoch(),
                gate.serving(),
                gate.leaseUntilNanos(),
                gate.appliedIndex(),
                0,
                gate.committedVersion(),
                gate.builtNanos(),
                gate.generation());
    }
}
