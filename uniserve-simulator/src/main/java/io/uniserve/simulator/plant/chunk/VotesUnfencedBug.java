package io.uniserve.simulator.plant.chunk;

import io.uniserve.protocol.gate.ReadGate;
import io.uniserve.simulator.plant.Plant;

/** {@link Plant#VOTES_UNFENCED}: a server's gate as it was before the newest chunk was made, as if votes did not wait for all gates. */
public final class VotesUnfencedBug {
    private VotesUnfencedBug() {}

    /** The gate with the generation before its own. */
    public static ReadGate beforeNewestChunk(ReadGate gate) {
        return new ReadGate(
                gate.actor(),
                gate.epoch(),
                gate.serving(),
                gate.leaseUntilNanos(),
                gate.appliedIndex(),
                gate.inDoubtVersion(),
                gate.committedVersion(),
                gate.builtNanos(),
                Math.max(0, gate.generation() - 1));
    }
}
