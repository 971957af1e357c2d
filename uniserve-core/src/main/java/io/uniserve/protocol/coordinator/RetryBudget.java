package io.uniserve.protocol.coordinator;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;

/** Of a change that a client asked for and the registry has not confirmed: some more, a moment apart, then OUTCOME_UNKNOWN. */
final class RetryBudget {
    private static final int MOST = 40;

    private final LeaderContext leader;
    private final PendingAdminReply answer;
    private final String unconfirmed;
    private int made;

    /** @param unconfirmed what the client hears in the end: what is not known, and what to do */
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
