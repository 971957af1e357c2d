package io.uniserve.client.operation;

import io.uniserve.error.Attempt;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.protocol.client.routing.ClientContext;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.runtime.transport.client.AdminClient;
import java.util.ArrayList;
import java.util.List;

/**
 * Request to the leading coordinator, repeated at the next leader if there is none or another one took over. A change with an unknown
 * outcome is sent again. If the first attempt succeeded, the second gets TABLE_EXISTS or TABLE_NOT_FOUND;
 * {@link Answer#outcomeUnknownBefore} distinguishes this case. Methods run on the operation's serial executor.
 */
public final class AdminOperation {
    private static final long WAIT_MIN_NANOS = 50_000_000;
    private static final long WAIT_MAX_NANOS = 1_000_000_000;
    private static final int TRIED_MAX = 32;

    private final ClientContext environment;
    private final AdminClient client;
    private final AdminRequest request;
    private final long deadlineNanos;
    private final Operation<Answer> operation;
    private final List<Attempt> triedAttempts = new ArrayList<>();
    private Timers.Cancel timer = () -> {};
    private Timers.Cancel deadline = () -> {};
    private Timers.Cancel routingWatch = () -> {};
    private long attempts;
    private long waitNanos = WAIT_MIN_NANOS;
    private boolean outcomeUnknown;
    private boolean ended;
    private boolean waiting;

    public AdminOperation(
            ClientContext environment,
            AdminClient client,
            AdminRequest request,
            long deadlineNanos,
            Operation<Answer> operation) {
        this.environment = environment;
        this.client = client;
        this.request = request;
        this.deadlineNanos = deadlineNanos;
        this.operation = operation;
    }

    /**
     * Final answer of a coordinator.
     *
     * @param outcome its answer, or an error that another attempt would not change
     * @param outcomeUnknownBefore true if an earlier attempt ended without an answer: it may have made the change
     */
    public record Answer(Outcome<AdminReply> outcome, boolean outcomeUnknownBefore) {}

    public void start() {
        deadline = environment.timers().after(Math.max(1, remaining()), this::expire);
        sendRequest();
    }

    public void cancel() {
        fail(ErrorCode.CANCELLED, "the operation was cancelled");
    }

    private void sendRequest() {
        routingWatch.cancel();
        Address leader = environment.routing().current().routing().coordinator();
        if (ended) {
            return;
        }
        if (leader == null) {
            recordAttempt("cluster", ErrorCode.NOT_LEADER, "no coordinator leads");
            retryLater();
            return;
        }
        long timeout = Math.max(1, remaining());
        long attempt = ++attempts;
        watchLeader(leader, attempt);
        client.call(
                leader,
                request,
                timeout,
                outcome -> operation.serial().execute(() -> onReply(leader, attempt, outcome)));
    }

    /** Repeats the request if another leader takes over before this one answers, as it may hang. */
    private void watchLeader(Address leader, long attempt) {
        routingWatch = environment.routing().onChange(() -> {
            Address next = environment.routing().current().routing().coordinator();
            if (ended || waiting || attempt != attempts) {
                return;
            }
            if (next == null || next.equals(leader)) {
                watchLeader(leader, attempt);
            } else {
                recordAttempt(
                        "coordinator " + leader, ErrorCode.NOT_LEADER, "another leader took over before it answered");
                outcomeUnknown = true;
                sendRequest();
            }
        });
    }

    private void onReply(Address leader, long attempt, Outcome<AdminReply> outcome) {
        boolean superseded = attempt != attempts && outcome instanceof Outcome.Err<AdminReply>;
        if (ended || superseded) {
            return;
        }
        routingWatch.cancel();
        if (outcome instanceof Outcome.Err<AdminReply> err
                && isRetryable(err.error().code())) {
            recordAttempt(
                    "coordinator " + leader, err.error().code(), err.error().reason());
            outcomeUnknown |= err.error().code() == ErrorCode.OUTCOME_UNKNOWN
                    || err.error().code() == ErrorCode.DEADLINE_EXCEEDED;
            retryLater();
        } else {
            end(Outcome.ok(new Answer(outcome, outcomeUnknown)));
        }
    }

    private static boolean isRetryable(ErrorCode code) {
        return code == ErrorCode.NOT_LEADER
                || code == ErrorCode.UNAVAILABLE
                || code == ErrorCode.OUTCOME_UNKNOWN
                || code == ErrorCode.DEADLINE_EXCEEDED
                || code == ErrorCode.RESOURCE_EXHAUSTED
                || code == ErrorCode.CANCELLED;
    }

    /** Repeats the request when the routing map changes, or after a pause. */
    private void retryLater() {
        waiting = true;
        Timers.Cancel change = environment.routing().onChange(this::retryNow);
        Timers.Cancel wait = environment.timers().after(waitNanos, this::retryNow);
        timer = () -> {
            change.cancel();
            wait.cancel();
        };
        waitNanos = Math.min(WAIT_MAX_NANOS, waitNanos * 2);
        environment.routing().refresh(outcome -> {});
    }

    private void retryNow() {
        if (!waiting) {
            return; // both the change and the timer had fired
        }
        waiting = false;
        timer.cancel();
        timer = () -> {};
        sendRequest();
    }

    private void recordAttempt(String where, ErrorCode code, String message) {
        if (triedAttempts.size() < TRIED_MAX) {
            triedAttempts.add(new Attempt(where, code, message));
        }
    }

    private void expire() {
        fail(
                outcomeUnknown ? ErrorCode.OUTCOME_UNKNOWN : ErrorCode.DEADLINE_EXCEEDED,
                "no coordinator answered before the deadline"
                        + (outcomeUnknown ? "; the change may have been made" : ""));
    }

    private void fail(ErrorCode code, String message) {
        end(Outcome.err(new UniserveException(code, message, triedAttempts, null)));
    }

    private void end(Outcome<Answer> outcome) {
        if (!ended) {
            ended = true;
            timer.cancel();
            deadline.cancel();
            routingWatch.cancel();
            operation.end(outcome);
        }
    }

    private long remaining() {
        return deadlineNanos - environment.clock().nanos();
    }
}
