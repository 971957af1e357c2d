package io.uniserve.protocol.client.transaction;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ActorState;
import io.uniserve.model.Partitioner;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.protocol.client.query.ChunkCoverage;
import io.uniserve.protocol.client.query.Query;
import io.uniserve.protocol.client.query.QueryActors;
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
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
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
 * <p>Of a TIME table it reads all chunks that have rows at its version ({@link ChunkCoverage}). If one of its chunks expires, it restarts
 * without the chunk, so it never has a part of a chunk.
 *
 * <p>Not thread-safe; the completion is called exactly once.
 */
public final class SnapshotReadExecution {
    private static final long SLOW_NANOS = 10_000_000;
    /** Number of maps without an actor that the caller has chosen, before the read fails. */
    private static final int STALE_MAPS_MAX = 8;

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
    private final ChunkCoverage coverage;
    /** A chunk that the read covers has expired before all its actors have answered. */
    private boolean chunkExpired;

    /**
     * Result of the read: each actor once, all of one version.
     *
     * @param tableId table number
     * @param rounds number of rounds that the read took
     * @param generation as in {@link QueryResult}
     */
    public record Result(
            long tableId,
            long version,
            List<VersionedRead.Part> parts,
            int rounds,
            QueryResult.Stats stats,
            long generation) {
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
                    stats,
                    generation);
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
        this.coverage = new ChunkCoverage(env, query, false, this::addActors);
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
        deadline = env.timers().after(Math.max(1, scatter.left()), () -> {
            String open =
                    scatter.slots().stream().filter(slot -> slot.part() == null).count() + " actors";
            complete(error(
                    ErrorCode.DEADLINE_EXCEEDED,
                    "no answer from " + open + " in time; the last failure: " + scatter.last() + coverage.describe()));
        });
        addActors();
    }

    /** Adds the actors that the newest map has for the read, and asks for them. */
    private void addActors() {
        Optional<TableRoute> route = route(env.routing().current());
        if (scatter.isStopped() || route.isEmpty()) {
            completeDropped();
            return;
        }
        coverage.onMap(route.get());
        try {
            Set<Integer> known = scatter.slots().stream()
                    .map(ScatterReadExecution.Slot::actor)
                    .collect(Collectors.toCollection(TreeSet::new));
            for (int actor : actors(route.get())) {
                if (!known.contains(actor)) {
                    scatter.add(0, actor);
                }
            }
        } catch (UniserveException e) {
            if (e.code() == ErrorCode.STALE_EPOCH && coverage.rounds() < STALE_MAPS_MAX) {
                coverage.refresh(e.reason());
            } else {
                complete(Outcome.err(e));
            }
            return;
        }
        if (scatter.isComplete()) {
            completeOrReadAgain();
        } else {
            dispatch();
        }
    }

    private int[] actors(TableRoute route) {
        if (route.meta().partitioner() instanceof Partitioner.Time) {
            return QueryActors.numbers(query, route);
        }
        int count = route.map().actors().size();
        int[] chosen = new TreeSet<>(query.actors().orElseGet(() -> route.map().numbers()))
                .stream().mapToInt(Integer::intValue).toArray();
        for (int actor : chosen) {
            if (actor < 0 || actor >= count) {
                throw UniserveException.invalid("no actor " + actor + ": number of actors: " + count);
            }
        }
        return chosen;
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

    private static Outcome<Result> error(ErrorCode code, String message) {
        return Outcome.err(new UniserveException(code, message));
    }

    private void complete(Outcome<Result> outcome) {
        if (scatter.stop()) {
            deadline.cancel();
            coverage.stop();
            completion.done(outcome);
        }
    }

    private Optional<TableRoute> route(RouteIndex index) {
        return index.table(query.table()).filter(found -> found.meta().tableId() == tableId);
    }

    /** Sends requests for all actors without an answer and without a call under way. */
    private void dispatch() {
        if (route(env.routing().current()).isEmpty()) {
            completeDropped();
            return;
        }
        scatter.dispatch();
    }

    private void completeDropped() {
        ErrorCode code = expectedTableId == 0 ? ErrorCode.TABLE_NOT_FOUND : ErrorCode.VERSION_GONE;
        complete(error(code, "table " + query.table() + " was dropped while the query ran"));
    }

    private final class Rules implements ScatterPolicy {
        @Override
        public @Nullable ActorState find(RouteIndex index, ScatterReadExecution.Slot slot) {
            Optional<TableRoute> route = route(index);
            chunkExpired |= route.filter(found -> QueryActors.isExpired(found, slot.actor()))
                    .isPresent();
            return route.map(found -> found.map().find(slot.actor())).orElse(null);
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
            coverage.onReply(reply.generation());
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
            if (chunkExpired) {
                restart();
            } else {
                scatter.retryAfterPause();
            }
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
        boolean expired = chunkExpired;
        chunkExpired = false;
        if (expired && requestedVersion > 0) {
            complete(error(
                    ErrorCode.VERSION_GONE,
                    "a chunk of table " + query.table() + " expired while version " + requestedVersion + " was read"));
            return;
        }
        if (++restarts > Limits.VERSION_RESTARTS_MAX) {
            complete(error(
                    ErrorCode.VERSION_GONE, "version " + readVersion + " is not kept any more: " + scatter.last()));
            return;
        }
        scatter.drop();
        readVersion = 0;
        if (expired) {
            scatter.clear();
            rounds++;
            addActors();
        } else {
            readAgain(slot -> true);
        }
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
        } else if (coverage.isProven()) {
            succeed(version);
        } else {
            readVersion = requestedVersion; // a chunk of a newer map may have a later version than all other actors
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
        complete(Outcome.ok(new Result(tableId, version, parts, rounds, scatter.stats(), coverage.seenGeneration())));
    }
}
