package io.uniserve.protocol.identity;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.CoordinatorRecord;
import java.util.Optional;

/** Modes of a cluster's processes: one in mode open would serve without a right what the others close. */
public final class ClusterModes {
    private ClusterModes() {}

    /**
     * Error of a process that must not run beside this leader; empty if it may. A process in mode closed may run beside a leader in mode open,
     * so that a cluster can be closed process by process.
     *
     * @param closed true if the process is in mode closed
     * @param self the process, for the error
     */
    public static Optional<UniserveException> refusal(boolean closed, String self, CoordinatorRecord leader) {
        return closed || !leader.closed()
                ? Optional.empty()
                : Optional.of(new UniserveException(
                        ErrorCode.INVALID_CONFIGURATION,
                        self + " is in mode open, and the leading coordinator at " + leader.address()
                                + " in mode closed: set security.mode = closed with the files of section tls, or stop all"
                                + " coordinators first to open the cluster"));
    }
}
