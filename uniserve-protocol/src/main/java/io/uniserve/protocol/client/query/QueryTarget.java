package io.uniserve.protocol.client.query;

import io.uniserve.error.ErrorCode;
import io.uniserve.model.Address;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.message.client.ReadRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One actor of a query.
 *
 * <p>Life cycle, see {@link State}: OPEN → PARKED when no replica can be tried now, PARKED → OPEN with each new round, and OPEN or PARKED →
 * RESOLVED with the actor's answer, which is final.
 */
final class QueryTarget {
    final int actor;
    private State state = State.OPEN;

    /** Requests sent for it since the last change of its map entry; see {@link #resetForNewMap}. */
    int attempts;

    /** Requests under way that include it. */
    int inFlight;

    /** Servers tried in this round; a round ends when every replica was tried. */
    final List<ServerId> triedServers = new ArrayList<>(2);

    int rounds;

    /** True while no failure of this round justifies another request to the same replica. */
    boolean noRetryJustified = true;

    /** In a session: the only replica that may answer, and the state that it holds. */
    Optional<ReadSession.Pin> pin = Optional.empty();

    /** Preferred address. */
    @Nullable
    Address preferredAddress;

    /** Preferred servers; empty if all are equal. */
    Set<ServerId> preferredServers = Set.of();

    /** The client's number if it always uses the same replica, and another one only after a failure or silence; else 0. */
    long replicaSeed;

    boolean preferPrimary;
    long retryAtNanos;
    long parkedEpoch;
    List<ServerId> parkedLive = List.of();

    /**
     * False until a request that includes the actor has failed. Before that, the last code and message are the reason why none was sent.
     */
    boolean failedOnce;

    ErrorCode lastCode = ErrorCode.UNAVAILABLE;
    String lastMessage = "no live replica is in sync";

    private enum State {
        /** A request is under way or about to be sent. */
        OPEN,
        /** The actor waits for a newer map or for the end of the back-off. */
        PARKED,
        RESOLVED
    }

    QueryTarget(int actor) {
        this.actor = actor;
    }

    /** Sets the address and the choice of replicas that the query prefers. */
    void setPreferences(Query query, long seed) {
        preferredAddress = query.preferredAddresses().get(actor);
        replicaSeed = query.stableReplicas() ? seed : 0;
    }

    /** The actor in a request: its epoch, the client's watermark, and the state that a session holds. */
    ReadRequest.Target toRequest(long epoch, long watermark) {
        return new ReadRequest.Target(
                actor, epoch, watermark, pin.map(ReadSession.Pin::version).orElse(0L));
    }

    boolean isResolved() {
        return state == State.RESOLVED;
    }

    boolean isParked() {
        return state == State.PARKED;
    }

    /** Records the actor's answer. Late failures of other requests for the actor have no effect then. */
    void resolve() {
        state = State.RESOLVED;
    }

    /** Parks the actor until a newer map than this one, or another set of live replicas, or the given time. */
    void park(long epoch, List<ServerId> live, long untilNanos) {
        state = State.PARKED;
        parkedEpoch = epoch;
        parkedLive = live;
        retryAtNanos = untilNanos;
    }

    void recordFailure(ErrorCode code, String message) {
        failedOnce = true;
        lastCode = code;
        lastMessage = message;
        noRetryJustified &= ReadErrorAction.of(code) == ReadErrorAction.ONCE_EACH;
    }

    /**
     * Resets the counters because the actor has moved or has a new primary, so earlier failures no longer count. Clients often have a map
     * before its servers do. Without the reset several maps in a row would use up all attempts long before the deadline.
     */
    void resetForNewMap() {
        attempts = 0;
        rounds = 0;
    }

    void startRound() {
        state = State.OPEN;
        triedServers.clear();
        noRetryJustified = true;
    }
}
