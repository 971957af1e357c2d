package io.uniserve.protocol.client.transaction;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ActorState;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.protocol.client.query.Query;
import io.uniserve.protocol.client.query.QueryResult;
import io.uniserve.protocol.client.query.ReadErrorAction;
import io.uniserve.protocol.client.routing.ClientContext;
import io.uniserve.protocol.client.routing.RouteIndex;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.client.VersionedRead;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Read of several actors of a table at one version (docs/protocol.md, section 4). Each actor is read at one of its in-sync replicas. Each
 * answer names the version up to which it is complete. The version of the read is the largest of these and of the client's watermark.
 * Actors with an older answer are read again at that version. Usually all agree, and the read takes one round. If a state is no longer
 * kept, the read restarts. The result is complete and of one version, or an error.
 *
 * <p>A server may leave a version open that is in flight at another server's manager. Its answer counts if some server has claimed "not
 * visible" for the version since the read started: so it was not visible when the read started. Usually the manager's server is among those
 * queried, and no extra message is needed. Else the actors are read again, and their servers request a claim from the manager.
 *
 * <p>Not thread-safe; the completion is called exactly once.
 */
public final class SnapshotReadExecution {
    private static final long SLOW_NANOS = 10_000_000;

    private final ClientContext env;
    private final VersionWatermarks watermarks;
    private final Query query;
    private final Completion<Result> completion;
    private final ScatterReadExecution scatter;
    private Timers.Cancel deadline = () -> {};
    private long tableId;
    private long readVersion;
    private final long requestedVersion;
    private int rounds = 1;
    private int restarts;
    private boolean singleVersion = true;
    /** Versions that were not visible at some time during this read. */
    private final TreeSet<Long> invisibleVersions = new TreeSet<>();
    /** True once servers must leave no version open. */
    private boolean requiresResolvedVersions;
    /** The number of the table that the version belongs to; 0 if it is not known. */
    private long expectedTableId;

    private boolean mapRefreshed;

    /**
     * Result of the read: each actor once, all of one version.
     *
     * @param tableId table number
     * @param rounds number of rounds that the read took
     */
    public record Result(
            long tableId, long version, List<VersionedRead.Part> parts, int rounds, QueryResult.Stats stats) {
        public Result {
            parts = List.copyOf(parts);
        }

        /** The values, by the first actor of each. */
        public Map<Integer, Bytes> values() {
            Map<Integer, Bytes> values = new TreeMap<>();
            parts.forEach(part -> values.put(part.actors().get(0), part.value()));
            return values;
        }

        /** The same parts, as a query result. */
        public QueryResult asQueryResult() {
            return new QueryResult(
                    parts.stream().map(VersionedRead.Part::value).toList(),
                    parts.stream().map(VersionedRead.Part::actors).toList(),
                    stats);
        }
    }

    /** @param query its mode is ignored */
    public SnapshotReadExecution(
            ClientContext env,
            SnapshotReadClient network,
            VersionWatermarks floors,
            Query query,
            Completion<Result> completion) {
        this(env, network, floors, query, 0, completion);
    }

    /**
     * Reads one version that an earlier read returned.
     *
     * @param version VERSION_GONE if no replica keeps its state any more; 0 for the newest
     */
    public SnapshotReadExecution(
            ClientContext env,
            SnapshotReadClient network,
            VersionWatermarks floors,
            Query query,
            long version,
            Completion<Result> completion) {
        this.requestedVersion = version;
        this.readVersion = version;
        this.env = env;
        this.watermarks = floors;
        this.query = query;
        this.completion = completion;
        this.scatter = new ScatterReadExecution(env, network, List.of(query), SLOW_NANOS, new Rules());
    }

    /**
     * Reads the newest state of each actor, and not one version of all. It takes one round unless an actor is behind the client's watermark
     * or leaves a version open. Level SERIALIZABLE guarantees exactly that. Call it before the start.
     */
    public SnapshotReadExecution newestPerActor() {
        singleVersion = false;
        return this;
    }

    /**
     * Sets the number of the table that the version belongs to: VERSION_GONE if the name has another table by now. Call it before the
     * start.
     */
    public SnapshotReadExecution forTableId(long tableId) {
        expectedTableId = tableId;
        return this;
    }

    /** Sends the first requests. */
    public void start() {
        Optional<TableRoute> route = env.routing().current().table(query.table());
        if (expectedTableId != 0 && route.filter(this::hasExpectedTableId).isEmpty()) {
            onOtherTable();
            return;
        }
        if (route.isEmpty()) {
            complete(error(ErrorCode.TABLE_NOT_FOUND, "table " + query.table() + " is not known"));
            return;
        }
        Optional<UniserveException> restored = watermarks.checkRestored(route.get());
        if (restored.isPresent()) {
            complete(Outcome.err(restored.get()));
            return;
        }
        tableId = route.get().meta().tableId();
        int count = route.get().map().actors().size();
        for (int actor : new TreeSet<>(query.actors().orElseGet(() -> allActors(count)))) {
            if (actor < 0 || actor >= count) {
                complete(error(ErrorCode.INVALID_ARGUMENT, "no actor " + actor + ": number of actors: " + count));
                return;
            }
            scatter.add(0, actor);
        }
        deadline = env.timers().after(Math.max(1, scatter.left()), () -> {
            String open =
                    scatter.slots().stream().filter(slot -> slot.part() == null).count() + " actors";
            complete(error(
                    ErrorCode.DEADLINE_EXCEEDED,
                    "no answer from " + open + " in time; the last failure: " + scatter.last()));
        });
        if (scatter.slots().isEmpty()) {
            completeOrReadAgain();
        } else {
            dispatch();
        }
    }

    private boolean hasExpectedTableId(TableRoute route) {
        return route.meta().tableId() == expectedTableId;
    }

    /** Handles a table with another number: this client's map may be outdated, or the table was replaced. */
    private void onOtherTable() {
        if (mapRefreshed) {
            complete(error(
                    ErrorCode.VERSION_GONE,
                    "table " + query.table() + " no longer has number " + expectedTableId
                            + ", to which the version belongs"));
            return;
        }
        mapRefreshed = true;
        env.routing().refresh(refreshed -> {
            if (!scatter.isStopped()) {
                start();
            }
        });
    }

    /** Cancels the read; the completion gets CANCELLED. */
    public void cancel() {
        complete(error(ErrorCode.CANCELLED, "the query was cancelled"));
    }

    private static List<Integer> allActors(int count) {
        List<Integer> all = new ArrayList<>();
        for (int actor = 0; actor < count; actor++) {
            all.add(actor);
        }
        return all;
    }

    private static Outcome<Result> error(ErrorCode code, String message) {
        return Outcome.err(new UniserveException(code, message));
    }

    private void complete(Outcome<Result> outcome) {
        if (scatter.stop()) {
            deadline.cancel();
            completion.done(outcome);
        }
    }

    private Optional<TableRoute> route(RouteIndex index) {
        return index.table(query.table()).filter(found -> found.meta().tableId() == tableId);
    }

    /** Sends requests for all actors without an answer and without a call under way. */
    private void dispatch() {
        if (route(env.routing().current()).isEmpty()) {
            ErrorCode code = expectedTableId == 0 ? ErrorCode.TABLE_NOT_FOUND : ErrorCode.VERSION_GONE;
            complete(error(code, "table " + query.table() + " was dropped while the query ran"));
            return;
        }
        scatter.dispatch();
    }

    private final class Rules implements ScatterPolicy {
        @Override
        public @Nullable ActorState find(RouteIndex index, ScatterReadExecution.Slot slot) {
            return route(index)
                    .map(route -> route.map().actors().get(slot.actor()))
                    .orElse(null);
        }

        @Override
        public boolean isObsolete(RouteIndex index) {
            return route(index).isEmpty();
        }

        @Override
        public boolean sendsPartly() {
            return true;
        }

        @Override
        public boolean asksBeside() {
            return true;
        }

        @Override
        public boolean cancelsEnded() {
            return true;
        }

        @Override
        public VersionedRead request(int index, List<VersionedRead.Target> targets, int together) {
            // This pays off only if the transaction manager's server is likely to get one of these requests.
            boolean defers = readVersion == 0
                    && !requiresResolvedVersions
                    && together > 1
                    && 2 * together
                            >= env.routing().current().routing().servers().size();
            return new VersionedRead(
                    query.table(),
                    tableId,
                    targets,
                    query.operator(),
                    query.parameters(),
                    readVersion,
                    true,
                    defers,
                    false,
                    Math.max(1, scatter.left()));
        }

        @Override
        public void received(VersionedRead.Reply reply) {
            invisibleVersions.addAll(reply.invisibleVersions());
        }

        @Override
        public ReadErrorAction meaning(ErrorCode code) {
            if (code == ErrorCode.VERSION_GONE) { // another replica may have the given version yet
                return requestedVersion > 0 ? ReadErrorAction.ONCE_EACH : ReadErrorAction.RETRY;
            }
            return ReadErrorAction.of(code);
        }

        @Override
        public boolean isOutdated(ErrorCode code) {
            return requestedVersion == 0 && code == ErrorCode.VERSION_GONE;
        }

        @Override
        public void advance(boolean outdated) {
            if (outdated) {
                restart();
            } else {
                completeOrReadAgain();
            }
        }

        @Override
        public void exhausted() {
            scatter.retryAfterPause();
        }

        @Override
        public void retry() {
            dispatch();
        }

        @Override
        public void fail(UniserveException error) {
            complete(Outcome.err(error));
        }
    }

    private void restart() {
        if (++restarts > Limits.VERSION_RESTARTS_MAX) {
            complete(error(
                    ErrorCode.VERSION_GONE, "version " + readVersion + " is not kept any more: " + scatter.last()));
            return;
        }
        scatter.drop();
        readVersion = 0;
        readAgain(slot -> true);
    }

    /** Continues when all actors have answered: ends the read if they agree, else reads those again that are behind. */
    private void completeOrReadAgain() {
        if (!scatter.isComplete()) {
            dispatch();
            return;
        }
        long version = requestedVersion > 0 ? requestedVersion : Math.max(readVersion, watermarks.watermark(tableId));
        for (ScatterReadExecution.Slot slot : scatter.slots()) {
            version = singleVersion ? Math.max(version, at(slot)) : version;
        }
        scatter.drop(); // calls beside those that were answered
        if (scatter.slots().stream().anyMatch(this::hasOpenVersions)) {
            requiresResolvedVersions = true;
            readAgain(this::hasOpenVersions);
            return;
        }
        long wanted = version;
        if (scatter.slots().stream().anyMatch(slot -> at(slot) < wanted)) {
            readVersion = wanted;
            readAgain(slot -> at(slot) < wanted);
        } else {
            succeed(version);
        }
    }

    /** The version through which an actor's answer is complete. */
    private static long at(ScatterReadExecution.Slot slot) {
        return Objects.requireNonNull(slot.part()).completeVersion();
    }

    /**
     * True if the answer leaves a version open for which there is no claim. An answer of another replica that has the version is no proof:
     * this replica may already have prepared a later one, and only its server can report that.
     */
    private boolean hasOpenVersions(ScatterReadExecution.Slot slot) {
        return !invisibleVersions.containsAll(slot.open());
    }

    private void readAgain(Predicate<ScatterReadExecution.Slot> which) {
        scatter.slots().stream().filter(which).toList().forEach(ScatterReadExecution.Slot::reset);
        rounds++;
        dispatch();
    }

    /** Ends the read with the lowest version up to which every actor's answer is complete. */
    private void succeed(long agreed) {
        long version = Long.MAX_VALUE;
        long newest = 0;
        List<VersionedRead.Part> parts = new ArrayList<>();
        for (ScatterReadExecution.Slot slot : scatter.slots()) { // ascending, so each part is added at its first actor
            VersionedRead.Part part = Objects.requireNonNull(slot.part());
            newest = Math.max(newest, part.completeVersion());
            version = Math.min(version, part.completeVersion());
            if (slot.actor() == Collections.min(part.actors())) {
                parts.add(part);
            }
        }
        version = version == Long.MAX_VALUE ? agreed : version;
        watermarks.raise(tableId, Math.max(newest, version), env.clock().nanos());
        complete(Outcome.ok(new Result(tableId, version, parts, rounds, scatter.stats())));
    }
}
