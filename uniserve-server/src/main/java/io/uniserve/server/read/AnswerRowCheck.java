package io.uniserve.server.read;

import io.uniserve.api.plan.Answer;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.access.LimitKind;
import io.uniserve.model.access.UserLimits;

/** Check of the rows of an answer against the limit of its user. */
public final class AnswerRowCheck {
    private AnswerRowCheck() {}

    /**
     * Fails with TOO_LARGE if the answer has more rows than its user may have. Fails with UNSUPPORTED if the user has a limit and the port
     * has not counted the rows.
     */
    public static void check(Answer answer, String user, UserLimits limits) {
        long max = limits.max(LimitKind.ANSWER_ROWS);
        if (max == Long.MAX_VALUE) {
            return;
        }
        if (answer.rows() < 0) {
            throw new UniserveException(
                    ErrorCode.UNSUPPORTED,
                    "user " + user + " has the limit "
                            + limits.limit(LimitKind.ANSWER_ROWS).orElseThrow()
                            + ", and this table's port does not count the rows of its answers: remove the limit, or use another port");
        }
        if (answer.rows() > max) {
            throw limits.exceeded(
                    ErrorCode.TOO_LARGE,
                    LimitKind.ANSWER_ROWS,
                    user,
                    "the answer has " + answer.rows() + " rows; ask for fewer, for example with LIMIT or rows");
        }
    }
}
