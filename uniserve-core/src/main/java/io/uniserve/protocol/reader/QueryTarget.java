package io.uniserve.protocol.reader;

import io.uniserve.error.ErrorCode;
import io.uniserve.model.Address;
import io.uniserve.model.ServerId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One actor of a query. */
final class QueryTarget {
    final int actor;
    boolean resolved;

    /** Requests sent for it since the map last told where it is; see {@link #newMap}. */
    int attempts;

    /** Requests under way that include it. */
    int inFlight;

    /** Servers asked in this round; a round ends when every replica was asked. */
    final List<ServerId> asked = new ArrayList<>(2);

    int rounds;

    /** True while every failure of this round was of the kind that is not worth asking the same replica again. */
    boolean hopeless = true;

    /** In a session: the one replica that may answer, and the state that it holds. */
    Optional<ReadSession.Pin> pin = Optional.empty();

    /** Where it is best asked. */
    @Nullable
    Address near;

    /** Servers that are asked before others; none where all are alike. */
    Set<ServerId> wanted = Set.of();

    /** The client's number where it always asks the same copy, and only a silent or failed one has another asked; else 0. */
    long copies;

    boolean preferPrimary;
    boolean parked;
    long retryAtNanos;
    long parkedEpoch;
    List<ServerId> parkedLive = List.of();

    /** False while no request that carried it has failed: until then the last code and message tell why none was sent. */
    boolean failedOnce;

    ErrorCode lastCode = ErrorCode.UNAVAILABLE;
    String lastMessage = "no live replica is in sync";

    QueryTarget(int actor) {
        this.actor = actor;
    }

    void failed(ErrorCode code, String message) {
        failedOnce = true;
        lastCode = code;
        lastMessage = message;
        hopeless &= ReadErrorAction.of(code) == ReadErrorAction.ONCE_EACH;
    }

    /**
     * The actor is elsewhere, or led anew: what failed before tells nothing of that, so it does not count any more. Clients often
     * have a map before its servers do, and several maps in a row would else use up all attempts long before the deadline.
     */
    void newMap() {
        attempts = 0;
        rounds = 0;
    }

    void newRound() {
        parked = false;
        asked.clear();
        hopeless = true;
    }
}
