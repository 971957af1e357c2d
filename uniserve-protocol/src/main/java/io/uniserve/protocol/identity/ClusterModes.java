package io.uniserve.protocol.identity;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.CoordinatorRecord;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Modes of a cluster's processes: one in mode open would serve without a right what the others close. */
public final class ClusterModes {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterModes.class);

    private ClusterModes() {}

    /**
     * Error of a process that must not run beside this leader; empty if it may. A process in mode closed may run beside a leader in mode open or
     * of an older build, because it refuses callers itself: the log has a warning.
     *
     * @param closed true if the process is in mode closed
     * @param self the process, for the error
     */
    public static Optional<UniserveException> refusal(boolean closed, String self, CoordinatorRecord leader) {
        if (closed && !leader.closed()) {
            LOG.warn(
                    "{} is in mode closed, and the leading coordinator at {} is in mode open or of an older build",
                    self,
                    leader.address());
        }
        return closed || !leader.closed()
                ? Optional.empty()
                : Optional.of(new UniserveException(
                        ErrorCode.INVALID_CONFIGURATION,
                        self + " is in mode open, and the leading coordinator at " + leader.address()
                                + " is in mode closed: set security.mode = closed with the files of section tls. To open"
                                + " the cluster, stop all its processes first"));
    }
}
