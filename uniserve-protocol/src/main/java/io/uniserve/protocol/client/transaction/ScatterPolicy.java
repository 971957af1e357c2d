package io.uniserve.protocol.client.transaction;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.protocol.client.query.ReadErrorAction;
import io.uniserve.protocol.client.routing.RouteIndex;
import io.uniserve.protocol.message.client.VersionedRead;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rules of one kind of read on top of {@link ScatterReadExecution}: eligible replicas, meaning of errors, and the end of the read. */
interface ScatterPolicy {
    /** The actor's state in this map, whose in-sync replicas are eligible; null if the map contradicts the state that is read. */
    @Nullable
    ActorState find(RouteIndex index, ScatterReadExecution.Slot slot);

    /** True if this map makes every pending reply useless: slow requests are then cancelled. */
    default boolean isObsolete(RouteIndex index) {
        return false;
    }

    /** True if requests are sent even when another actor has no replica left to try. */
    boolean sendsPartly();

    /** True if a second replica may run the operator while the first one still computes. */
    boolean asksBeside();

    /**
     * True if the timer of a request is cancelled as soon as the request ends, false if together with all requests. The number of
     * timers that run is part of a simulation's hash.
     */
    boolean cancelsEnded();

    /**
     * The request to one server.
     *
     * @param query index of the query
     * @param together number of requests that go out at the same time; 0 for a request beside a slow one
     */
    VersionedRead request(int query, List<VersionedRead.Target> targets, int together);

    /** A reply has arrived. Its parts and failures are not applied yet. */
    void received(VersionedRead.Reply reply);

    /** Meaning of an error for the actor: FATAL ends the read, ONCE_EACH ends it when all replicas report it. */
    ReadErrorAction meaning(ErrorCode code);

    /** True if an actor that reports this error has no state for the read any more, so that the read may start again. */
    boolean isOutdated(ErrorCode code);

    /**
     * A request has ended, and its parts and failures are applied.
     *
     * @param outdated true if an actor's state is outdated and no other request for the actor is in flight
     */
    void advance(boolean outdated);

    /** An actor has no replica left to try in this round, and no replica reported an error that explains it. */
    void exhausted();

    /** The pause of {@link ScatterReadExecution#retryAfterPause} is over, and all replicas are eligible again. */
    void retry();

    /** Ends the read with this error. */
    void fail(UniserveException error);
}
