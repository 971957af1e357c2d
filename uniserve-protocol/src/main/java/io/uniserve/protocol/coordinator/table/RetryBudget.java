package io.uniserve.protocol.coordinator.table;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.coordinator.metadata.LeaderContext;
import io.uniserve.protocol.coordinator.metadata.PendingAdminReply;

/**
 * Bounded number of retries for a client's change that the registry has not confirmed. After them the request fails with OUTCOME_UNKNOWN.
 */
public final class RetryBudget {
    private static final int RETRIES_MAX = 40;

    private final LeaderContext leader;
    private final PendingAdminReply reply;
    private final String unconfirmed;
    private int made;

    /** @param unconfirmed text of the final error: what is unknown, and what to do */
    public RetryBudget(LeaderContext leader, PendingAdminReply answer, String unconfirmed) {
        this.leader = leader;
        this.reply = answer;
        this.unconfirmed = unconfirmed;
    }

    public void retry(Runnable step) {
        if (++made > RETRIES_MAX) {
            reply.fail(new UniserveException(ErrorCode.OUTCOME_UNKNOWN, unconfirmed));
        } else {
            leader.registry().after(leader.config().tickNanos() / 4, step);
        }
    }
}
