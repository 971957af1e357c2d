package io.uniserve.protocol.coordinator;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;

/**
 * Bounded number of retries for a client's change that the registry has not confirmed. After them the request fails with OUTCOME_UNKNOWN.
 */
final class RetryBudget {
    private static final int MOST = 40;

    private final LeaderContext leader;
    private final PendingAdminReply answer;
    private final String unconfirmed;
    private int made;

    /** @param unconfirmed text of the final error: what is unknown, and what to do */
    RetryBudget(LeaderContext leader, PendingAdminReply answer, String unconfirmed) {
        this.leader = leader;
        this.answer = answer;
        this.unconfirmed = unconfirmed;
    }

    void again(Runnable step) {
        if (++made > MOST) {
            answer.fail(new UniserveException(ErrorCode.OUTCOME_UNKNOWN, unconfirmed));
        } else {
            leader.registry().after(leader.config().tickNanos() / 4, step);
        }
    }
}
