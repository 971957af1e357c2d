package io.uniserve.protocol.coordinator;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;

/**
 * Bounded number of retries for a client's change that the registry has not confirmed. After them the request fails with OUTCOME_UNKNOWN.
 */
final class RetryBudget {
    private static final int MOST = 40;

    private final LeaderTerm leaderTerm;
    private final AdminHandler.Answer answer;
    private final String unconfirmed;
    private int made;

    /** @param unconfirmed text of the final error: what is unknown, and what to do */
    RetryBudget(LeaderTerm leaderTerm, AdminHandler.Answer answer, String unconfirmed) {
        this.leaderTerm = leaderTerm;
        this.answer = answer;
        this.unconfirmed = unconfirmed;
    }

    void again(Runnable step) {
        if (++made > MOST) {
            answer.fail(new UniserveException(ErrorCode.OUTCOME_UNKNOWN, unconfirmed));
        } else {
            leaderTerm.registry().after(leaderTerm.config().tickNanos() / 4, step);
        }
    }
}
